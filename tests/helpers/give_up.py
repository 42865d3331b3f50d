"""A caller that gives up: not after some time, but once what it waits for has begun."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


async def give_up(work: Coroutine[Any, Any, object], began: Callable[[], object]) -> None:
    """Cancel work as soon as `began()` is true; AssertionError if it has ended by then or takes no notice."""
    task = asyncio.create_task(work)
    while not (began() or task.done()):
        await asyncio.sleep(0.001)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
