"""The steps of an rl stage as their groups come in: is too much missing, and what the curves show."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rewardlab.appending import LineAppender
from rewardlab.backends.openrlhf.scoring.messages import Place
from rewardlab.backends.step_metrics import judge_metrics, step_metrics
from rewardlab.composition import MissingGuard, ScoredGroup
from rewardlab.judging.usage import Usage
from rewardlab.lines import read_lines
from rewardlab.uses import ComponentUse

SpentAt = Callable[[int], Mapping[str, Usage]]
"""notes that a step is over; what each judge was asked in it"""


class StepLog:
    """Gathers the groups of each step; whole steps are checked and logged, a line of JSON each.

    Where groups are filtered, nobody knows the step of a group: then batch_size groups that follow each other
    make a line, counted on from `first`, and what may be missing is a share of the last batch_size groups.
    """

    def __init__(
        self,
        path: Path,
        attempt: int,
        uses: Mapping[str, ComponentUse],
        batch_size: int,
        first: int = 1,
        window: int | None = None,
    ):
        """uses: of the components that the total names. window: scores of batch_size groups, where some are filtered.

        A file that is there already is added to; steps that this attempt has written are not written again.
        """
        self._attempt = attempt
        self._batch_size = batch_size
        self._filtered = window is not None
        self._guard = MissingGuard(uses, window=window, least=window or 1)
        self._open: dict[int | None, list[ScoredGroup]] = {}
        self._next = first
        self._written = _steps_of(path, attempt)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = LineAppender(path)
        self.whole = 0
        """steps that are complete"""

    def add(self, place: Place, scored: ScoredGroup, spent: SpentAt) -> None:
        """A group of the training. A JobError where too much of its step is missing."""
        groups = self._open.setdefault(place.step, [])
        groups.append(scored)
        if self._filtered:
            self._guard.count(scored)
        if len(groups) >= self._batch_size:
            del self._open[place.step]
            self._finish(place.step, groups, spent)
        self._guard.check()

    def close(self) -> None:
        """Idempotent."""
        self._file.close()

    def _finish(self, step: int | None, groups: Sequence[ScoredGroup], spent: SpentAt) -> None:
        if step is None:
            step, self._next = self._next, self._next + 1
        if not self._filtered:
            self._guard.reset()
            for group in groups:
                self._guard.count(group)
        self.whole += 1
        if step not in self._written:
            self._write(step, groups, spent(step))

    def _write(self, step: int, groups: Sequence[ScoredGroup], usage: Mapping[str, Usage]) -> None:
        numbers = step_metrics(groups) | judge_metrics(usage)
        finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        self._file.write(f"{json.dumps({'attempt': self._attempt, 'step': step, **finite})}\n".encode())
        self._written.add(step)


def _steps_of(path: Path, attempt: int) -> set[int]:
    lines = [row for _, row in read_lines(path) if isinstance(row, Mapping)] if path.exists() else []
    return {row["step"] for row in lines if row.get("attempt") == attempt}
