"""Progress of work that takes long: a bar at the foot of a terminal, elsewhere a line at intervals."""

import math
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rewardlab.text.printable import printable
from rewardlab.text.redaction import redact
from rewardlab.text.terminal import FOOT, has_foot

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

INTERVAL_VARIABLE = "REWARDLAB_PROGRESS_S"
INTERVAL_S = 60.0
BAR_DELAY_S = 2.0
"""work that is done by then shows no bar"""
MIN_BAR_COLUMNS = 70
"""least columns of a terminal that has room for a bar beside the words"""


class Progress:
    """The progress of work of which `total` units are known, or of an unknown number (None), shown on stderr.

    On a terminal this is a bar below all that is printed; elsewhere (a pipe, CI, TERM=dumb, NO_COLOR), as in the log of
    a cluster's job, a line every 60 seconds, or as many as the environment's REWARDLAB_PROGRESS_S says (0: none). Both
    say units done of the total, the numbers of `note`, the seconds a unit and the time left. It has no thread of its
    own: what it shows changes when a unit is done.

    Args:
        what: of the work, begins the line.
        unit: in the singular.
        initial: units that were done before.
        delay_s: before a bar is shown.
        leave: whether it stays when the work is done. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        title: str,
        total: int | None = None,
        *,
        unit: str = "row",
        initial: int = 0,
        delay_s: float = BAR_DELAY_S,
        leave: bool = True,
    ) -> None:
        self._title = title
        self._total = total
        self._unit = unit
        self._initial = self._done = initial
        self._numbers: dict[str, str] = {}
        self._began = time.monotonic()
        self._interval = progress_interval_s()
        self._next_line = self._began + self._interval
        self._leave = leave
        self._shown_from = self._began + delay_s if has_foot() else math.inf
        self._show()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, count: int = 1) -> None:
        """Report that `count` more units are done."""
        self.move_to(self._done + count)

    def move_to(self, done: int) -> None:
        """Report that `done` units are done, including those before this work."""
        self._done = done
        self._show()
        if math.isinf(self._shown_from) and self._interval > 0 and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._interval
            print(self.line(), file=sys.stderr, flush=True)

    def note(self, numbers: Mapping[str, float]) -> None:
        """Show these numbers beside the progress from now on."""
        self._numbers = {name: f"{value:.3g}" for name, value in numbers.items()}

    def line(self) -> str:
        """Return the state of the work in a line."""
        return state_line(self._where(), self._numbers, self._speed())

    def shown(self, width: int) -> "RenderableType":
        """Return the state of the work for the foot of a terminal."""
        return self._head(width, ", ".join(f"{name} {value}" for name, value in self._numbers.items()))

    def close(self) -> None:
        """Leave the bar as it is; calling it again does nothing."""
        FOOT.drop(self, self._leave)

    def _show(self) -> None:
        if time.monotonic() >= self._shown_from:
            FOOT.show(self)

    def _head(self, width: int, more: str = "") -> "RenderableType":
        """Return the line with the bar: a terminal that is too narrow has no bar, and says the time left alone."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        has_room = width >= MIN_BAR_COLUMNS
        head = Table.grid(padding=(0, 1), expand=True)
        head.add_column(no_wrap=True, overflow="ellipsis")
        cells: list[RenderableType] = [safe(self._where())]
        if has_room and self._total:
            head.add_column(ratio=1, min_width=10)
            cells.append(ProgressBar(total=self._total, completed=self._done))
        head.add_column(no_wrap=True, overflow="ellipsis", justify="right")
        times = self._speed() if has_room else self._speed()[-1:]
        head.add_row(*cells, safe(", ".join([*times, *([more] if more else [])])))
        return head

    def _where(self) -> str:
        if self._unit == "step":
            return place_of_step(self._title, self._done, self._total)
        total_text = "" if self._total is None else f" of {self._total:,}"
        return f"{self._title}: {self._done:,}{total_text} {self._unit}s"

    def _speed(self) -> list[str]:
        """Return the seconds a unit and the time left, as far as they are known."""
        here = self._done - self._initial
        if here <= 0:
            return []
        left = None if self._total is None else self._total - self._done
        return speed((time.monotonic() - self._began) / here, self._unit, left)


def place_of_step(title: str, step: int, steps: int | None) -> str:
    """Return where the steps of some work are: "1-rl: step 120 of 500"."""
    return f"{title}: step {step:,}" + ("" if steps is None else f" of {steps:,}")


def speed(seconds: float, unit: str, left: int | None) -> list[str]:
    """Return the seconds a unit, and the time for so many units that are left, if that is known."""
    pace = [f"{seconds:.3g} s a {unit}"]
    return pace if left is None else [*pace, f"{format_duration(seconds * left)} left"]


def state_line(where: str, numbers: Mapping[str, str], speed: Sequence[str]) -> str:
    """Return the state of some work in a line: where it is, its numbers, and how fast it goes."""
    parts = [where, *(f"{name} {value}" for name, value in numbers.items())]
    return "; ".join(filter(None, [", ".join(parts), ", ".join(speed)]))


def safe(text: str) -> "Text":
    """Return a text that others wrote as the foot of a terminal shows it: on one line, and it steers nothing."""
    from rich.text import Text

    return Text(printable(redact(text)).replace("\n", " "), no_wrap=True, overflow="ellipsis")


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
