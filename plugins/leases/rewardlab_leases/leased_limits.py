"""A judge's limits on loan, as the attempts of one of several processes meet them.

Each part says what it wants in a report (`LeaseReport`) and lives on what the last grant (`LeaseGrant`) brought. All of
it belongs to one event loop.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable

from rewardlab import Ask, Reply
from rewardlab.judging import JudgeUse, Limits, TokenEstimate, Usage

from rewardlab_leases.lease_messages import LeaseGrant, LeaseReport
from rewardlab_leases.leased_budget import LeasedBudget
from rewardlab_leases.turn_lender import LAPSE_S, MAX_TURNS

ROUNDING = 1e-6  # tokens


class LeasedSlots:
    """Places for questions under way: as many as there are permits. `async with` takes one. need: asks for more."""

    def __init__(self, need: Callable[[], None]) -> None:
        self._need = need
        self._held = self._cap = self.used = 0
        self._stopped = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def _limit(self) -> float:
        return math.inf if self._stopped else min(self._held, self._cap)

    @property
    def wanted(self) -> int:
        """Permits that could be used now."""
        return self.used + len(self._waiting)

    async def __aenter__(self) -> None:
        if self.used < self._limit and not self._waiting:
            self.used += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._need()
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # it was given away already
                await self.__aexit__()
            elif place in self._waiting:
                self._waiting.remove(place)
            raise

    async def __aexit__(self, *_: object) -> None:
        self.used -= 1
        self._serve()

    def keep(self) -> int:
        """Give back the free permits that may not be kept, and return how many are left."""
        self._held = max(self.used, min(self._held, self._cap))
        return self._held

    def take(self, permits: int, cap: int) -> None:
        """Have this many permits, of which `cap` may be kept."""
        self._held, self._cap = permits, cap
        self._serve()

    def stop(self) -> None:
        """Let everybody through: no call is made any more."""
        self._stopped = True
        self._serve()

    def _serve(self) -> None:
        while self._waiting and self.used < self._limit:
            place = self._waiting.popleft()
            if not place.done():
                self.used += 1
                place.set_result(None)


class LeasedTurns:
    """Turns by a rate limit that others share. limited: whether there is a limit at all."""

    def __init__(self, limited: bool, need: Callable[[], None]) -> None:
        self._limited = limited
        self._need = need
        self._estimate = TokenEstimate()
        self._line: deque[tuple[float, asyncio.Future[float]]] = deque()
        self.refund = 0.0

    @property
    def wanted(self) -> tuple[float, ...]:
        """The estimated tokens of the first questions that wait."""
        return tuple(cost for cost, _ in list(self._line)[:MAX_TURNS])

    async def turn(self, ask: Ask, is_moot: Callable[[], bool] = lambda: False) -> float:
        """Wait until the question may go, as RateLimit does, and return the tokens that were lent for it."""
        if not self._limited:
            return 0.0
        cost = self._estimate.of(ask)
        while True:
            turn: asyncio.Future[float] = asyncio.get_running_loop().create_future()
            self._line.append((cost, turn))
            self._need()
            try:
                until = await turn
            except asyncio.CancelledError:
                if (cost, turn) in self._line:
                    self._line.remove((cost, turn))
                raise
            if is_moot():
                self.refund += cost
                return 0.0
            if time.monotonic() <= until:
                return cost
            self.refund += cost  # this process was held up: what was lent has lapsed

    def settle(self, ask: Ask, taken: float, reply: Reply) -> None:
        """Report what the question did not need of its tokens, and learn from the count."""
        if reply.prompt_tokens is not None and self._limited:
            self.refund += taken - reply.prompt_tokens - (reply.completion_tokens or 0)
            self._estimate.learn(ask, reply)

    def take(self, count: int, tokens: float, until: float) -> None:
        """Let the first `count` questions go, as far as `tokens` suffices, until this time on the monotonic clock."""
        while count and self._line and self._line[0][0] <= tokens + ROUNDING:
            cost, turn = self._line.popleft()
            if not turn.done():
                count, tokens = count - 1, tokens - cost
                turn.set_result(until)
        self.refund += tokens

    def stop(self) -> None:
        """Let everybody through: no call is made any more."""
        self._limited = False
        while self._line:
            _, turn = self._line.popleft()
            if not turn.done():
                turn.set_result(math.inf)


class LeasedLimits:
    """The limits of one judge on loan.

    need: called when a question has to wait for the next grant. most_tokens: as in Budget.
    """

    def __init__(self, settings: JudgeUse, most_tokens: int | None, need: Callable[[], None]) -> None:
        self._slots = LeasedSlots(need)
        limited = bool(settings.requests_per_minute or settings.tokens_per_minute)
        self._turns = LeasedTurns(limited, need)
        self._budget = None if settings.budget is None else LeasedBudget(most_tokens, need)
        self._reported: tuple[float, ...] = ()
        self._recalled = False
        self.limits = Limits(slots=self._slots, rate=self._turns, budget=self._budget)

    def report(
        self, usage: Usage, stopped: str | None = None, unreadable: bool = False, last: bool = False
    ) -> LeaseReport:
        """Return a report for the lender. last: give everything back."""
        if last:
            self._slots.take(0, 0)
        budget = self._budget or LeasedBudget(None, lambda: None)
        if self._recalled or last:
            budget.give_back()
        self._reported = self._turns.wanted
        return LeaseReport(
            permits=self._slots.keep(),
            wanted=0 if last else self._slots.wanted,
            turns=() if last else self._reported,
            refund=self._turns.refund,
            spent=budget.spent,
            unspent=budget.unspent,
            needs=() if last else budget.needs,
            first=budget.first,
            ahead=(0, 0) if last else budget.ahead(),
            usage=usage,
            stopped=stopped,
            unreadable=unreadable,
        )

    def take(self, grant: LeaseGrant, sent: float) -> None:
        """Take what a lender gave for the last report, which was sent at this time on the monotonic clock."""
        self._slots.take(grant.permits, grant.cap)
        self._recalled = grant.recall
        if grant.turns:
            self._turns.take(grant.turns, math.fsum(self._reported[: grant.turns]), sent + LAPSE_S)
        if self._budget is not None:
            self._budget.take(grant.lent, grant.refused)

    def stop(self, why: str) -> None:
        """Let all questions through that wait, whose judge makes no call any more."""
        self._slots.stop()
        self._turns.stop()
        if self._budget is not None:
            self._budget.take((0, 0), why)
