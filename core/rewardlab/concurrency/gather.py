"""Coroutines run at once, where the first failure cancels the others."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


async def gather_or_cancel(work: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Run coroutines at once and return their results in order. The first failure cancels the others and is raised."""
    coroutines = list(work)
    if len(coroutines) == 1:  # the usual case needs no task of its own
        return [await coroutines[0]]
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
