"""A part of a judge's budget on loan, as the attempts of one of several processes meet it."""

import asyncio
from collections import deque
from collections.abc import Callable

from rewardlab import Ask, Reply
from rewardlab.errors import JobError
from rewardlab.judging import question_bound, tokens_spent

from rewardlab_leases.lease_messages import Tokens

MAX_NEEDS = 256


class LeasedBudget:
    """A part of a budget. most_tokens: of an answer, as in Budget."""

    def __init__(self, most_tokens: int | None, need: Callable[[], None]) -> None:
        self._most_tokens = most_tokens
        self._need = need
        self._free = self._under_way = self.spent = (0, 0)
        self._spent_then = (0, 0)
        self._waiting: deque[tuple[Tokens, asyncio.Future[None]]] = deque()
        self._refused: str | None = None

    @property
    def needs(self) -> tuple[Tokens, ...]:
        """The amounts wanted for each of the first questions that wait, beyond what is free."""
        free, needs = self._free, []
        for bound, _ in list(self._waiting)[:MAX_NEEDS]:
            missing = max(0, bound[0] - free[0]), max(0, bound[1] - free[1])
            free = free[0] - bound[0] + missing[0], free[1] - bound[1] + missing[1]
            if any(missing):
                needs.append(missing)
        return tuple(needs)

    @property
    def first(self) -> Tokens:
        """The most that the first question can cost that waits."""
        return self._waiting[0][0] if self._waiting else (0, 0)

    @property
    def unspent(self) -> Tokens:
        """The amount that was lent and is not spent."""
        return self._free[0] + self._under_way[0], self._free[1] + self._under_way[1]

    async def hold(self, ask: Ask) -> Tokens:
        """Set aside the most that the question can cost, as Budget does. Raises JobError if nothing is left."""
        bound = question_bound(ask, self._most_tokens)
        if self._waiting or not self._take(bound):
            await self._wait(bound)
        return bound

    def settle(self, bound: Tokens, reply: Reply | None, unknown: bool = False) -> None:
        """Replace what was set aside by what the question cost, as Budget does."""
        cost = tokens_spent(bound, reply, unknown)
        self._under_way = self._under_way[0] - bound[0], self._under_way[1] - bound[1]
        self.spent = self.spent[0] + cost[0], self.spent[1] + cost[1]
        self._free = self._free[0] + bound[0] - cost[0], self._free[1] + bound[1] - cost[1]
        self._serve()

    def at_most(self) -> dict[str, float]:
        """Return nothing: the lender keeps the amounts."""
        return {}

    def ahead(self) -> Tokens:
        """Return what is missing to twice what was spent since the last report: the next questions need about that."""
        since = self.spent[0] - self._spent_then[0], self.spent[1] - self._spent_then[1]
        self._spent_then = self.spent
        return max(0, 2 * since[0] - self._free[0]), max(0, 2 * since[1] - self._free[1])

    def give_back(self) -> None:
        """Give back what no question under way needs."""
        self._free = min(0, self._free[0]), min(0, self._free[1])

    def take(self, lent: Tokens, refused: str | None) -> None:
        """Have more to spend, or the reason why there will never be."""
        self._free = self._free[0] + lent[0], self._free[1] + lent[1]
        self._refused = refused
        self._serve()

    async def _wait(self, bound: Tokens) -> None:
        held: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((bound, held))
        self._need()
        try:
            await held
        except asyncio.CancelledError:
            if held.done() and not held.cancelled() and held.exception() is None:
                self.settle(bound, None)
            elif (bound, held) in self._waiting:
                self._waiting.remove((bound, held))
            raise

    def _take(self, bound: Tokens) -> bool:
        if self._refused is not None:
            raise JobError(self._refused)
        if bound[0] > self._free[0] or bound[1] > self._free[1]:
            return False
        self._free = self._free[0] - bound[0], self._free[1] - bound[1]
        self._under_way = self._under_way[0] + bound[0], self._under_way[1] + bound[1]
        return True

    def _serve(self) -> None:
        while self._waiting:
            bound, held = self._waiting[0]
            if not held.done():
                try:
                    if not self._take(bound):
                        return
                    held.set_result(None)
                except JobError as error:
                    held.set_exception(error)
            self._waiting.popleft()
