"""The circuit breaker of a judge that is down: its questions wait, and one at a time tests whether it is back."""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable

from rewardlab.text.plural import counted
from rewardlab.text.progress import format_duration, progress_interval_s


class OutageNotice:
    """The lines about the outages of one judge, shown on the event loop that asks it.

    Args:
        waiting: returns how many questions wait.
        say: called with each line, to stand behind the judge's name, and with whether it warns. While an outage
            lasts and anybody waits, a line comes every `progress_interval_s()` seconds.
    """

    def __init__(self, waiting: Callable[[], int], say: Callable[[str, bool], None]) -> None:
        self._waiting = waiting
        self._say = say
        self._began = 0.0
        self._why = ""
        self._timer: asyncio.TimerHandle | None = None

    def began(self, why: str, patience: float) -> None:
        """Tell that the judge is down, and that questions will wait for it for `patience` seconds."""
        self._began, self._why = time.monotonic(), why
        self._say(f"{why}; its questions wait for it, for {patience:.0f} s at most", True)
        self._set_timer()

    def ended(self) -> None:
        """Tell that the judge answers again."""
        self.close()
        lasted = format_duration(time.monotonic() - self._began)
        self._say(f"answers again after {lasted}; {counted(self._waiting(), 'question')} waited", False)

    def close(self) -> None:
        """Tell nothing more of this outage; calling it again does nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self) -> None:
        self.close()
        if (interval := progress_interval_s()) > 0:
            self._timer = asyncio.get_running_loop().call_later(interval, self._tell)

    def _tell(self) -> None:
        if (waiting := self._waiting()) > 0:  # else nobody tries whether it is back
            lasted = format_duration(time.monotonic() - self._began)
            self._say(f"has been down for {lasted}, {counted(waiting, 'question')} waiting: it {self._why}", True)
        self._set_timer()


MAX_CONSECUTIVE = 8
FEW_IN_A_ROW, FEW_LAST_S = 3, 3.0
FIRST_PAUSE_S, MAX_PAUSE_S = 1.0, 10.0
CHANCE = 1e-5
"""failures in a row are not an outage if the share of calls that failed before makes them likelier than this"""
REMEMBERED, FEWEST = 64, 16
"""calls whose outcome gives that share, and for how many they count at least"""
MAX_SHARE = 0.7
FRESH_S = 3.0
"""seconds for which an answer that came after a call was sent says that the judge is up, whatever that call met"""
MIN_TRIALS = 8
"""pauses are short enough for at least this many trials before questions fail"""
MAX_AFTER_S = 120.0
"""however long a server asks to wait, the next trial comes after this at the latest"""


class CircuitBreaker:
    """A circuit breaker. Failures in a row open it: MAX_CONSECUTIVE, or FEW_IN_A_ROW that last FEW_LAST_S seconds.

    A judge that fails now and then is not down: more in a row are needed if they may be chance (CHANCE), and
    failures of calls that were sent before the last answer do not count (FRESH_S), such as timeouts that end together.

    While it is open, questions wait, and one of them goes through after each of a series of growing pauses; the first
    answer closes it. After `patience` seconds the questions that wait fail, and new ones fail at once, except for the
    one that goes through after each pause.

    Args:
        on_open: called with why the judge is down, and the most seconds that questions will wait, when they begin
            to.
        on_close: called when the judge is back, before the questions that waited go on.
    """

    def __init__(
        self,
        patience: float,
        on_open: Callable[[str, float], None] = lambda why, seconds: None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._patience = patience
        self._on_open = on_open
        self._on_close = on_close
        self._longest_pause = min(MAX_PAUSE_S, patience / MIN_TRIALS)
        self._pause = 0.0
        self._failures = 0
        self._since = 0.0
        self._answered = -math.inf
        self._outcomes: deque[bool] = deque(maxlen=REMEMBERED)
        self.is_open = False
        """Whether questions have to wait."""
        self._next_trial = 0.0
        self._waiting: deque[asyncio.Future[bool | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self.last_failure = ""

    @property
    def seconds(self) -> float:
        """The seconds since the judge went down; 0 if it is up."""
        return time.monotonic() - self._since if self.is_open else 0.0

    @property
    def is_final(self) -> bool:
        """Whether the judge has been down for longer than questions wait."""
        return self.is_open and self.seconds >= self._patience

    async def turn(self) -> bool | None:
        """Wait for a decision on a question: False, it may go; True, it may go as a trial; None, it fails.

        A trial tests whether a judge that is down is back; one of `succeeded`, `failed` and `untried` must follow it.
        """
        if not self.is_open:
            return False
        now = time.monotonic()
        if now >= self._next_trial and not self._waiting:
            self._next_trial = now + self._longest_pause  # unless its outcome says otherwise before then
            return True
        if self.is_final:
            return None
        waiting: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        self._set_timer()
        try:
            return await waiting
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            elif not waiting.cancelled() and waiting.result():
                self.untried()
            raise

    def succeeded(self) -> None:
        """Note that the judge answered."""
        if not self.is_open:  # an outage says nothing of how often calls fail otherwise
            self._outcomes.extend([False] * min(self._failures, REMEMBERED))
        self._outcomes.append(True)
        self._failures = 0
        self._answered = time.monotonic()
        if self.is_open:
            self.is_open = False
            self._on_close()
            self._release(False)

    def failed(self, why: str, after: float | None, trial: bool = False, sent: float = math.inf) -> None:
        """Note that the judge did not answer a call.

        Args:
            after: seconds that it asked to wait; None if it did not say.
            sent: when the call was sent, on the monotonic clock.
        """
        now = time.monotonic()
        if not self.is_open and sent < self._answered and now - self._answered <= FRESH_S:
            self._hold(now, after)
            return
        if not self._failures:
            self._since = now
        self._failures += 1
        self.last_failure = why
        if self.is_open and trial:
            self._pause = min(self._longest_pause, self._pause * 2)
            self._next_trial = now + self._pause
        elif not self.is_open:
            lasting = self._failures >= FEW_IN_A_ROW and now - self._since >= FEW_LAST_S
            many = lasting or self._failures >= MAX_CONSECUTIVE
            self.is_open = many and self._usual_share() ** self._failures <= CHANCE
            if self.is_open:
                self._on_open(why, self._patience)
            self._pause = min(self._longest_pause, FIRST_PAUSE_S)
            self._next_trial = now + self._pause
        self._hold(now, after)
        self._set_timer()

    def _hold(self, now: float, after: float | None) -> None:
        """Make no trial before the time for which the judge asked."""
        self._next_trial = max(self._next_trial, now + min(after or 0.0, MAX_AFTER_S))

    def _usual_share(self) -> float:
        """Return the share of calls that failed before these failures; little is known after few calls."""
        failed = self._outcomes.count(False) / max(FEWEST, len(self._outcomes))
        return min(failed, MAX_SHARE)

    def untried(self) -> None:
        """Note that a trial was cancelled before it was sent; another question may take its place."""
        self._next_trial = time.monotonic()
        self._set_timer()

    def _set_timer(self) -> None:
        """Set the timer for the next trial or the end of the patience, whichever comes first, if questions wait."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            pause = min(self._next_trial - time.monotonic(), self._patience - self.seconds)
            self._timer = asyncio.get_running_loop().call_later(max(0.0, pause), self._ring)

    def _ring(self) -> None:
        if self.is_final:
            self._release(None)
            return
        now = time.monotonic()
        while self._waiting and now >= self._next_trial:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(True)
                self._next_trial = now + self._longest_pause
        self._set_timer()

    def _release(self, result: bool | None) -> None:
        waiting, self._waiting = self._waiting, deque()
        self._set_timer()
        for question in waiting:
            if not question.done():
                question.set_result(result)
