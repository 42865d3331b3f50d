"""A concurrent map for plain code: results in order, with a bounded number of coroutines under way."""

from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable
from concurrent.futures import Future
from typing import TypeVar

from rewardlab.concurrency.threads import LoopThread

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
