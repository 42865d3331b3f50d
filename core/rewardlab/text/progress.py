"""Progress of work that takes long: a bar on a terminal, elsewhere a line at intervals."""

import math
import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rewardlab.text.printable import cursor_stream

if TYPE_CHECKING:
    from tqdm import tqdm

INTERVAL_VARIABLE = "REWARDLAB_PROGRESS_S"
INTERVAL_S = 60.0
BAR_DELAY_S = 2.0
"""work that is done by then shows no bar"""


class Progress:
    """The progress of work of which `total` units are known, or of an unknown number (None), shown on stderr.

    On a terminal this is a bar; elsewhere, as in the log of a cluster's job, a line every 60 seconds, or as many as the
    environment's REWARDLAB_PROGRESS_S says (0: none): units done of the total, the numbers of `note`, the seconds a
    unit and the time left. It has no thread of its own: a line is printed when a unit is done.

    what: of the work, begins the line. unit: in the singular. initial: units that were done before. delay_s: before a
    bar is shown. leave: whether it stays when the work is done. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        what: str,
        total: int | None = None,
        *,
        unit: str = "row",
        initial: int = 0,
        delay_s: float = BAR_DELAY_S,
        leave: bool = True,
    ) -> None:
        self._what = what
        self._total = total
        self._unit = unit
        self._initial = self._done = initial
        self._numbers: dict[str, str] = {}
        self._began = time.monotonic()
        self._interval = progress_interval_s()
        self._next_line = self._began + self._interval
        self._bar = self._new_bar(delay_s, leave) if sys.stderr.isatty() else None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, count: int = 1) -> None:
        """Report that `count` more units are done."""
        self.move_to(self._done + count)

    def move_to(self, done: int) -> None:
        """Report that `done` units are done, including those before this work."""
        if self._bar is not None:
            self._bar.update(done - self._done)
        self._done = done
        if self._bar is None and self._interval > 0 and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._interval
            print(self.line(), file=sys.stderr, flush=True)

    def note(self, numbers: Mapping[str, float]) -> None:
        """Show these numbers beside the progress from now on."""
        self._numbers = {name: f"{value:.3g}" for name, value in numbers.items()}
        if self._bar is not None:
            self._bar.set_postfix(self._numbers, refresh=False)

    def line(self) -> str:
        """Return the state of the work in a line."""
        of = "" if self._total is None else f" of {self._total:,}"
        done = f"step {self._done:,}{of}" if self._unit == "step" else f"{self._done:,}{of} {self._unit}s"
        parts = [done, *(f"{name} {value}" for name, value in self._numbers.items())]
        return f"{self._what}: {', '.join(parts)}{self._speed()}"

    def close(self) -> None:
        """Leave the bar as it is; calling it again does nothing."""
        if self._bar is not None:
            self._bar.close()

    def _speed(self) -> str:
        here = self._done - self._initial
        if here <= 0:
            return ""
        seconds = (time.monotonic() - self._began) / here
        left = "" if self._total is None else f", {format_duration(seconds * (self._total - self._done))} left"
        return f"; {seconds:.3g} s a {self._unit}{left}"

    def _new_bar(self, delay_s: float, leave: bool) -> "tqdm":
        from tqdm import tqdm

        return tqdm(
            total=self._total,
            initial=self._initial,
            desc=self._what,
            unit=f" {self._unit}s",
            delay=delay_s,
            leave=leave,
            dynamic_ncols=True,
            file=cursor_stream(),
        )


def progress_interval_s() -> float:
    """Return the seconds between two lines of progress, from the environment or INTERVAL_S."""
    try:
        given = float(os.environ.get(INTERVAL_VARIABLE, ""))
    except ValueError:
        return INTERVAL_S
    return given if math.isfinite(given) and given >= 0 else INTERVAL_S


def format_duration(seconds: float) -> str:
    """Return a duration as people say it: "40 s", "12 min", "3 h 20 min", "2 d 4 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h"
