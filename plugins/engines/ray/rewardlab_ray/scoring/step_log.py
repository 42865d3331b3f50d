"""The steps of an rl stage as their groups come in: checked for missing values, logged as curves."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rewardlab.data import read_lines
from rewardlab.files import LineAppender
from rewardlab.judging import Usage
from rewardlab.recipe import ComponentUse
from rewardlab.scoring import MissingGuard
from rewardlab_training import GroupNumbers, metrics_of_step

from rewardlab_ray.messages import GroupPlace
from rewardlab_ray.user_lines import SCORES, say

WriteUsage = Callable[[int], Mapping[str, Usage]]
"""called with a step that is over; returns what each judge was asked in it"""


class ScoredStepLog:
    """A log of the steps of a stage: whole steps are checked for missing values and written, a line of JSON each.

    Where groups are filtered, those that are discarded count for no step, and the share of missing values is taken over
    the last batch_size groups, discarded ones too: what has no values may be why they are discarded.
    """

    def __init__(
        self,
        path: Path,
        attempt: int,
        uses: Mapping[str, ComponentUse],
        batch_size: int,
        window: int | None = None,
    ) -> None:
        """Open the log; a file that is there is appended to, and steps that this attempt wrote are not written again.

        Args:
            uses: the components that the total names.
            window: scores in batch_size groups, if groups are filtered.
        """
        self._attempt = attempt
        self._batch_size = batch_size
        self._filtered = window is not None
        self._guard = MissingGuard(uses, window=window, least=window or 1)
        self._open: dict[int, list[GroupNumbers]] = {}
        self._generated: list[GroupNumbers] = []
        self._written = _steps_of(path, attempt)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = LineAppender(path)
        self.whole = 0
        """steps that are complete"""

    def add(self, place: GroupPlace, numbers: GroupNumbers, write_usage: WriteUsage) -> None:
        """Add a group of the training. A JobError if too much of its step is missing."""
        if not place.discarded:
            self._add(place.step, numbers, write_usage)
        self.check()

    def scored(self, numbers: GroupNumbers) -> None:
        """Note a group as soon as it is scored, before `add`."""
        if self._filtered:
            self._guard.count(numbers)
            self._generated.append(numbers)

    def check(self) -> None:
        """Raise a JobError if too much is missing of what was noted."""
        self._guard.check()

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()

    def _add(self, step: int | None, numbers: GroupNumbers, write_usage: WriteUsage) -> None:
        assert step is not None, "whoever records a group of the training gives it its step"
        groups = self._open.setdefault(step, [])
        groups.append(numbers)
        if len(groups) >= self._batch_size:
            del self._open[step]
            self._finish(step, groups, write_usage)

    def _finish(self, step: int, groups: Sequence[GroupNumbers], write_usage: WriteUsage) -> None:
        if not self._filtered:
            self._guard.reset()
            for group in groups:
                self._guard.count(group)
        self.whole += 1
        generated, self._generated = self._generated, []  # since the step before
        if step not in self._written:
            self._write(step, metrics_of_step(groups, write_usage(step), generated=generated))

    def _write(self, step: int, numbers: Mapping[str, float]) -> None:
        finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        self._file.write(f"{json.dumps({'attempt': self._attempt, 'step': step, **finite})}\n".encode())
        say(f"{SCORES}{json.dumps({'step': step, **finite})}")
        self._written.add(step)


def _steps_of(path: Path, attempt: int) -> set[int]:
    lines = [row for _, row in read_lines(path) if isinstance(row, Mapping)] if path.exists() else []
    return {row["step"] for row in lines if row.get("attempt") == attempt}
