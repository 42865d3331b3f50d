"""Waiting for coroutines: for several at once, and for a group's no longer than it may take."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from rewardlab.grouping import GroupStream


class TooLate(Exception):
    """The time for a group is over."""


async def in_time(work: Coroutine[Any, Any, Any], stream: GroupStream, timeout: float) -> Any:
    """The result of `work` within `timeout` seconds after the group is complete; else it is cancelled: TooLate.

    What takes no notice of its cancellation is left behind.
    """
    working, arriving = asyncio.ensure_future(work), asyncio.ensure_future(stream.group())
    try:
        await asyncio.wait([working, arriving], return_when=asyncio.FIRST_COMPLETED)
        if arriving.done():
            arriving.exception()  # the readers of the stream raise it
            await asyncio.wait([working], timeout=timeout)
        if not working.done():
            raise TooLate
        return working.result()
    finally:
        arriving.cancel()
        working.cancel()


async def together(work: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Results of coroutines run at once, in order. The first failure cancels the others and is raised."""
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
