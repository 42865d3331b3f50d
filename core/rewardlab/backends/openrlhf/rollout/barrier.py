"""The group barrier: members of one prompt's group, of whom the first to start works for all.

OpenRLHF calls `execute` once for each member, all of them before any has started, and never says how many.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any


class Barrier:
    """The groups that have members but have not started."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, str], Siblings] = {}

    def join(self, params: Any, label: str) -> tuple["Siblings", int]:
        """The caller's group and its index there (from 0).

        Calls belong together that bring the same `params` object and label before the group's first member starts.
        """
        key = id(params), label
        siblings = self._open.get(key)
        if siblings is None:
            siblings = self._open[key] = Siblings(params, lambda: self._open.pop(key))
        siblings.size += 1
        return siblings, siblings.size - 1


class Siblings:
    """The members of one group. It holds `params`, so that no other object gets the id meanwhile."""

    def __init__(self, params: Any, close: Callable[[], object]):
        self.size = 0
        self._params = params
        self._close = close
        self._answers: asyncio.Future[Sequence[Any]] | None = None

    async def answer(self, index: int, work: Callable[[int], Awaitable[Sequence[Any]]]) -> Any:
        """`index`'s part of what `work(size)` returns, or its exception; only the first caller's work is done.

        The work is a part of that caller's own task: where the task is cancelled, nothing is left behind.
        """
        if self._answers is None:
            self._close()
            self._answers = asyncio.get_running_loop().create_future()
            await self._lead(self._answers, work)
        # a cancelled member must not take the answers from its siblings
        return (await asyncio.shield(self._answers))[index]

    async def _lead(self, answers: asyncio.Future, work: Callable[[int], Awaitable[Sequence[Any]]]) -> None:
        try:
            answers.set_result(await work(self.size))
        except Exception as error:
            answers.set_exception(error)
            answers.exception()  # seen: a group of one has no sibling that would look
        except BaseException:
            answers.cancel()
            raise
