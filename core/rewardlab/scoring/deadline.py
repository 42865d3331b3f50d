"""The deadline for scoring a group, which begins when its last completion has arrived."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from rewardlab.errors import JobError
from rewardlab.group_stream import GroupStream


async def in_time(
    work: Coroutine[Any, Any, Any], stream: GroupStream, timeout: float, unanswered: Callable[[], str]
) -> Any:
    """Return the result of `work`, which has `timeout` seconds from when the group is complete.

    Then it is cancelled, and a JobError names what is `unanswered`; work that ignores its cancellation is left behind.
    """
    working, arriving = asyncio.ensure_future(work), asyncio.ensure_future(stream.group())
    try:
        await asyncio.wait([working, arriving], return_when=asyncio.FIRST_COMPLETED)
        if arriving.done():
            arriving.exception()  # the readers of the stream raise it
            await asyncio.wait([working], timeout=timeout)
        if not working.done():
            problem = f"scoring {stream.sample.place()} took longer than {timeout:g} s"
            raise JobError(f"{problem}; no answer yet from: {unanswered()}")
        return working.result()
    finally:
        arriving.cancel()
        working.cancel()
