"""A judge that is down: thousands of questions wait, and one at a time tries whether it is back."""

import asyncio
import time
from collections import deque

MOST_IN_A_ROW = 8
FEW_IN_A_ROW, FEW_LAST_S = 3, 3.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 10.0


class Outage:
    """A circuit breaker. Failures in a row open it: MOST_IN_A_ROW, or FEW_IN_A_ROW that last FEW_LAST_S.

    While it is open, questions wait and one of them goes through after each of growing pauses; the first answer
    closes it. After `patience` seconds the questions that wait fail, and new ones fail at once, but for the one
    that goes through after each pause.
    """

    def __init__(self, patience: float):
        self._patience = patience
        self._failures = 0
        self._since = 0.0
        self._open = False
        self._pause = FIRST_PAUSE_S
        self._next_trial = 0.0
        self._waiting: deque[asyncio.Future[bool]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self.last_failure = ""

    @property
    def seconds(self) -> float:
        """How long the judge has been down; 0 where it is not."""
        return time.monotonic() - self._since if self._open else 0.0

    async def turn(self) -> bool | None:
        """Whether the question may go: False as usual, True as the one that tries a judge that is down, None no."""
        if not self._open:
            return False
        now = time.monotonic()
        if now >= self._next_trial and not self._waiting:
            self._next_trial = now + self._pause
            return True
        if self.seconds >= self._patience:
            return None
        waiting: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        self._set_timer()
        return await waiting

    def succeeded(self) -> None:
        """The judge answered something."""
        self._failures = 0
        if self._open:
            self._open = False
            self._pause = FIRST_PAUSE_S
            self._release(False)

    def failed(self, why: str, after: float | None) -> None:
        """The judge did not answer; `after` are the seconds that it asked to wait for."""
        now = time.monotonic()
        if not self._failures:
            self._since = now
        self._failures += 1
        self.last_failure = why
        if self._open:
            self._pause = min(LONGEST_PAUSE_S, self._pause * 2)
        else:
            lasting = self._failures >= FEW_IN_A_ROW and now - self._since >= FEW_LAST_S
            self._open = lasting or self._failures >= MOST_IN_A_ROW
        if self._open:
            self._next_trial = now + max(self._pause, after or 0.0)
            self._set_timer()

    def _set_timer(self) -> None:
        """For the next trial or the end of the patience, whichever comes first."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            now = time.monotonic()
            pause = min(self._next_trial - now, self._patience - self.seconds)
            self._timer = asyncio.get_running_loop().call_later(max(0.0, pause), self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self.seconds >= self._patience:
            self._release(None)
            return
        now = time.monotonic()
        while self._waiting and now >= self._next_trial:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(True)
                self._next_trial = now + LONGEST_PAUSE_S  # unless its answer says otherwise before
        self._set_timer()

    def _release(self, result: bool | None) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(result)
