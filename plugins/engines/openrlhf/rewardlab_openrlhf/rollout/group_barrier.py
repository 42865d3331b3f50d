"""The group barrier: the members of one prompt's group meet, and the first to start works for all.

OpenRLHF calls `execute` once for each member, all of them before any has started, and never says how many there are.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any


class GroupBarrier:
    """A meeting point for the members of each group, until the group starts."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, str], Siblings] = {}

    def join(self, params: Any, label: str) -> tuple["Siblings", int]:
        """Return the caller's group and its index there (from 0).

        Calls belong together if they bring the same `params` object and label before the group's first member starts.
        """
        key = id(params), label
        siblings = self._open.get(key)
        if siblings is None:
            siblings = self._open[key] = Siblings(params, lambda: self._open.pop(key))
        siblings.size += 1
        return siblings, siblings.size - 1


class Siblings:
    """The members of one group. It holds `params`, so that no other object gets the id meanwhile."""

    def __init__(self, params: Any, close: Callable[[], object]) -> None:
        self.size = 0
        self._params = params
        self._close = close
        self._results: asyncio.Future[Sequence[Any]] | None = None

    async def result(self, index: int, work: Callable[[int], Awaitable[Sequence[Any]]]) -> Any:
        """Return item `index` of what `work(size)` returns, or raise its exception.

        Only the first caller's work is done, as a part of that caller's own task: where the task is cancelled, nothing
        is left behind.
        """
        if self._results is None:
            self._close()
            self._results = asyncio.get_running_loop().create_future()
            await self._lead(self._results, work)
        # a cancelled member must not take the results from its siblings
        return (await asyncio.shield(self._results))[index]

    async def _lead(self, results: asyncio.Future, work: Callable[[int], Awaitable[Sequence[Any]]]) -> None:
        try:
            results.set_result(await work(self.size))
        except Exception as error:
            results.set_exception(error)
            results.exception()  # marks it as retrieved: a group of one has no sibling that would
        except BaseException:
            results.cancel()
            raise
