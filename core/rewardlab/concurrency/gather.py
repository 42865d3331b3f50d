"""Coroutines run at once: gathered, with the first failure cancelling the others, or mapped in order over items."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from rewardlab.concurrency.threads import LoopThread


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


T = TypeVar("T")
R = TypeVar("R")


def in_order(items: Iterable[T], work: Callable[[T], Awaitable[R]], at_once: int) -> Generator[R]:
    """Yield `await work(item)` of each item, in the order of the items, with at most `at_once` under way.

    The work runs on an event loop in a thread of its own. The first exception is raised in place of its item's
    result and cancels the rest; so does closing the iterator. `items` is read only as far as needed.
    """

    async def coroutine(item: T) -> R:  # the loop takes coroutines, and `work` may return another awaitable
        return await work(item)

    home = LoopThread("rewardlab-asking")
    under_way: deque[Future[R]] = deque()
    try:
        for item in items:
            under_way.append(home.submit(coroutine(item)))
            while under_way and (len(under_way) >= at_once or under_way[0].done()):
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        home.close()
