"""The lines about a judge that is down: once at the start, now and then while it lasts, once at the end."""

import asyncio
import time
from collections.abc import Callable

from rewardlab.text.progress import format_duration, progress_interval_s


class OutageNotice:
    """The lines about the outages of one judge, shown on the event loop that asks it.

    waiting: returns how many questions wait. say: called with each line, to stand behind the judge's name, and with
    whether it warns. While an outage lasts and anybody waits, a line comes every `progress_interval_s()` seconds.
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
        self._say(f"answers again after {lasted}; {_questions(self._waiting())} waited", False)

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
            self._say(f"has been down for {lasted}, {_questions(waiting)} waiting: it {self._why}", True)
        self._set_timer()


def _questions(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"
