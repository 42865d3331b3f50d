"""The rate limits of a judge, lent: which process may send how many questions now."""

import math
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from rewardlab.judging import SECONDS, SOON, Bucket

LAPSE_S = 1.0
"""a turn that was lent is used within this time or lost; and it waits that long for its borrower to come for it"""
LATE_S = 0.2
"""a borrower that comes this much later for its turn than it could lets another one pass"""
MAX_TURNS = 256
"""of one borrower at once"""


@dataclass
class _Reserved:
    """The turn that is paid for next. due: when it was, or will be, on the monotonic clock."""

    borrower: Hashable
    cost: float
    due: float


class TurnLender:
    """Turns by a judge's limits of requests and tokens a minute, each None if there is none.

    However late within LAPSE_S a turn is used, no minute has more questions than the limits. Borrowers are served in
    the order in which they began to wait. The buckets begin empty, since a lender that was restarted does not know what
    was lent before: the first question of a limit of one a minute comes after a minute.
    """

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        over = SECONDS + 2 * LAPSE_S
        self._requests = Bucket(requests, over, full=False) if requests else None
        self._tokens = Bucket(tokens, over, full=False) if tokens else None
        self._line: dict[Hashable, float] = {}
        """borrowers that wait, with the time of their last report"""
        self._reserved: _Reserved | None = None
        self._refunds: dict[Hashable, float] = {}

    def refund(self, borrower: Hashable, total: float) -> None:
        """Give back what a borrower's questions did not need of their tokens; take what they needed more.

        total: of all of its questions so far.
        """
        tokens = total - self._refunds.get(borrower, total)
        self._refunds[borrower] = total
        if self._tokens is not None and tokens:
            self._tokens.give(tokens)
            self._note_due()

    def exchange(self, borrower: Hashable, turns: Sequence[float]) -> tuple[int, float]:
        """Return (how many of these questions may go now, seconds after which to come again).

        turns: the estimated tokens of each question that waits.
        """
        if not turns:
            self._leave(borrower)
            return 0, math.inf
        now = time.monotonic()
        self._line[borrower] = now
        if not self._may_take(borrower, now):
            return 0, self._wait() + LATE_S / 4
        granted = 0
        for cost in turns[:MAX_TURNS]:
            if not self._pay(borrower, cost, now):
                break
            granted += 1
        if granted:  # to the end of the line, if more of its questions wait
            self._line.pop(borrower)
            if self._line:
                self._cancel()
            if granted < len(turns):
                self._line[borrower] = now
        return granted, self._wait()

    def forget(self, borrower: Hashable) -> None:
        """Forget a borrower that has ended."""
        self._leave(borrower)
        self._refunds.pop(borrower, None)

    def _leave(self, borrower: Hashable) -> None:
        """Take a borrower out of the line, with what is reserved for it."""
        self._line.pop(borrower, None)
        if self._reserved is not None and self._reserved.borrower == borrower:
            self._cancel()

    def _may_take(self, borrower: Hashable, now: float) -> bool:
        """Return whether it is this borrower's turn; one that does not come for its turn loses it."""
        if self._reserved is not None and now > self._reserved.due + LATE_S and self._reserved.borrower != borrower:
            self._line[self._reserved.borrower] = self._line.pop(self._reserved.borrower, now)
            self._cancel()
        if self._reserved is not None:
            return self._reserved.borrower == borrower
        return next((one for one, seen in self._line.items() if now - seen <= LATE_S), borrower) == borrower

    def _pay(self, borrower: Hashable, cost: float, now: float) -> bool:
        """Pay for a question and return True; if it cannot be paid for yet, reserve its turn."""
        if self._reserved is not None and now - self._reserved.due > LAPSE_S:
            self._cancel()  # it would be used too late
        if self._reserved is None:
            self._reserved = _Reserved(borrower, cost, now)
            self._give(-1.0, -cost)
            self._note_due()
        if self._wait() > SOON:
            return False
        self._reserved = None
        return True

    def _cancel(self) -> None:
        reserved, self._reserved = self._reserved, None
        if reserved is not None:
            self._give(1.0, reserved.cost)

    def _give(self, requests: float, tokens: float) -> None:
        for bucket, amount in ((self._requests, requests), (self._tokens, tokens)):
            if bucket is not None:
                bucket.give(amount)

    def _note_due(self) -> None:
        if self._reserved is not None:
            wait = self._wait()
            now = time.monotonic()
            self._reserved.due = now + wait if wait > SOON else min(self._reserved.due, now)

    def _wait(self) -> float:
        """Return the seconds until all turns that were given or reserved are paid for."""
        return max((bucket.wait() for bucket in (self._requests, self._tokens) if bucket), default=0.0)
