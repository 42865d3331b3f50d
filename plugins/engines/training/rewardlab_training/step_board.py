"""The steps of a training stage at the foot of a terminal: time left, curves of the reward's parts, judges, warnings.

Elsewhere it is a line at intervals, as all progress is.
"""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rewardlab.judging import Usage
from rewardlab.text import Progress, place_of_step, safe, speed, state_line

from rewardlab_training.alarms.alarm_kinds import TOTAL
from rewardlab_training.alarms.series import finite

if TYPE_CHECKING:
    from rich.console import RenderableType

NOT_SHOWN = ("reward/groups_without_variance",)
MAX_POINTS = 60
"""of a curve: one a step, of the last steps"""
MAX_NAME = 24
"""columns of a name"""
VALUE_COLUMNS = 14
"""of a number, with the space beside it"""
JUDGE_COUNTS = ("calls", "tokens", "usd")
JUDGE_CALLS = re.compile("judge/(.+)/calls", re.DOTALL)
BARS = "▁▂▃▄▅▆▇█"


class StepBoard(Progress):
    """The progress of a stage's steps.

    Args:
        total: how many there are; None if nobody knows.
        initial: how many were done before.
    """

    def __init__(self, stage: str, total: int | None, initial: int = 0) -> None:
        self._curves: dict[str, deque[tuple[int, float]]] = {}
        self._judges: dict[str, Usage] = {}
        self._warnings: list[str] = []
        super().__init__(stage, total, unit="step", initial=initial, delay_s=0)

    def note_step(self, step: int, numbers: Mapping[str, Any]) -> None:
        """Show the numbers of a step from now on; a step that comes again takes those behind it back."""
        shown = shown_numbers(numbers)
        for name, value in shown.items():
            curve = self._curves.setdefault(name, deque(maxlen=MAX_POINTS))
            while curve and curve[-1][0] >= step:
                curve.pop()
            curve.append((step, value))
        for key in numbers:
            if match := JUDGE_CALLS.fullmatch(key):
                calls, tokens, usd = (finite(numbers.get(f"judge/{match[1]}/{name}")) or 0 for name in JUDGE_COUNTS)
                usage = Usage(calls=int(calls), prompt_tokens=int(tokens), usd=usd)
                self._judges.setdefault(match[1], Usage()).add(usage)
        self.note(shown)

    def warn(self, text: str) -> None:
        """Show a warning from now on."""
        self._warnings.append(text)
        self._show()

    def shown(self, width: int) -> "RenderableType":
        """Return the board for the foot of a terminal."""
        from rich.console import Group

        lines = [f"judge {name}: {usage.line()}" for name, usage in self._judges.items() if usage.asked]
        if self._warnings:
            lines.append(f"! {len(self._warnings)} warning{'s' * (len(self._warnings) > 1)}: {self._warnings[-1]}")
        curves = [self._curve_table(width)] if self._curves else []
        return Group(self._head(width), *curves, *(safe(f"  {line}") for line in lines))

    def _curve_table(self, width: int) -> "RenderableType":
        from rich.table import Table

        names = min(MAX_NAME, width // 3)
        table = Table.grid(padding=(0, 1))
        table.add_column(no_wrap=True, overflow="ellipsis", max_width=names)
        table.add_column(no_wrap=True, overflow="crop", style="cyan")
        table.add_column(no_wrap=True, justify="right")
        for name, curve in self._curves.items():
            values = [value for _, value in curve][-max(width - names - VALUE_COLUMNS, 1) :]
            table.add_row(safe(f"  {name}"), sparkline(values), f"{values[-1]:.3g}")
        return table


def sparkline(values: Sequence[float]) -> str:
    """Return a bar for each value, from the lowest to the highest; equal ones are in the middle."""
    low, high = min(values), max(values)
    if low == high:
        return BARS[3] * len(values)
    return "".join(BARS[round((value - low) / (high - low) * (len(BARS) - 1))] for value in values)


def step_line(
    stage: str, step: int, steps: int | None, numbers: Mapping[str, Any], seconds: float | None = None
) -> str:
    """Return the line that stands for the board where there is no terminal, of a step with these numbers.

    Args:
        steps: of the stage, None if nobody knows.
        seconds: a step takes; None if that is not known yet.
    """
    shown = {name: f"{value:.3g}" for name, value in shown_numbers(numbers).items()}
    left = None if steps is None else steps - step
    return state_line(place_of_step(stage, step, steps), shown, () if seconds is None else speed(seconds, "step", left))


def shown_numbers(numbers: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers that are shown beside the progress: the total, the parts of the reward, the loss."""
    parts = [name for name in numbers if name.startswith("reward/") and name not in (TOTAL, *NOT_SHOWN)]
    known = {name: finite(numbers.get(name)) for name in (TOTAL, *parts, "loss")}
    return {name.removeprefix("reward/"): value for name, value in known.items() if value is not None}
