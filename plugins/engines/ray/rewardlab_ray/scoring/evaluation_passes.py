"""Evaluations in the middle of a training: passes over the held-out prompts, each with results once it is complete."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rewardlab.scoring import ScoredGroup
from rewardlab_training import Phase, Results, write_evaluation


class EvaluationPasses:
    """The evaluations of an rl stage, each of the weights after some step, which whoever adds a group knows.

    folder: evaluation/ of the run. stage: the name of its files. rows: prompts of a pass. by: the fields that split
    results. counted_info: component -> the keys of `info` that are counted (Plan.counted_info).
    every: the recipe evaluates after so many steps; None: only after the last. last: the step after which the training
    ends, as far as is known. alone: the name of the results if nothing is trained. tracked: each is called with the
    step and the results of each evaluation.
    """

    def __init__(
        self,
        folder: Path,
        stage: str,
        rows: int,
        by: Sequence[str],
        counted_info: Mapping[str, Sequence[str]],
        every: int | None,
        last: int,
        alone: str | None = None,
        tracked: Sequence[Callable[[int, Results], None]] = (),
    ) -> None:
        self._folder = folder
        self._stage = stage
        self._rows = rows
        self._by = by
        self._counted_info = counted_info
        self._every = every
        self._last = last
        self._alone = alone
        self._tracked = tracked
        self._step: int | None = None
        self._groups: dict[int, ScoredGroup] = {}
        self._first: dict[int, ScoredGroup] = {}
        self._rows_of_first: set[int] = set()

    def is_due(self, step: int, final: bool = False) -> bool:
        """Return whether the weights after this step are to be evaluated, and there are no results of them.

        Args:
            final: the training has ended with them, which may be before `last` if groups were left out.
        """
        wanted = final or (self._every is not None and step % self._every == 0)
        if not (self._rows and wanted) or self._path(step).exists():
            return False
        if final:
            self._last = step
        return not self._path(step).exists()

    def phase(self, step: int) -> Phase:
        """Return the phase of the pass of this step: "before" the first, "after" the last one, or "during" training."""
        if self._alone is not None:
            return "eval"
        return "before" if step == 0 else "after" if step == self._last else "during"

    def rows_of_first(self) -> list[int]:
        """Return the rows that an evaluation before the first step still lacks."""
        return [row for row in range(self._rows) if row not in self._rows_of_first]

    def add_to_first(self, row: int, scored: ScoredGroup) -> bool:
        """Add a group to the pass before the first step; return whether that makes it complete."""
        if row in self._rows_of_first:
            return False
        self._rows_of_first.add(row)
        self._first[row] = scored
        if len(self._first) < self._rows:
            return False
        groups, self._first = [self._first[index] for index in range(self._rows)], {}
        self._write(0, groups)
        return True

    def add(self, row: int, scored: ScoredGroup, step: int) -> bool:
        """Add a group to the pass of this step; return whether it is complete now and its results are written."""
        if step != self._step:
            self._step, self._groups = step, {}
        self._groups[row] = scored
        if len(self._groups) < self._rows:
            return False
        groups = [self._groups[index] for index in sorted(self._groups)]
        self._step, self._groups = None, {}
        self._write(step, groups)
        return True

    def _write(self, step: int, groups: Sequence[ScoredGroup]) -> None:
        path = self._path(step)
        path.parent.mkdir(parents=True, exist_ok=True)
        results = write_evaluation(path, groups, self._by, f"{self._stage} {self._when(step)}", self._counted_info)
        for tracked in self._tracked:
            tracked(step, results)

    def _path(self, step: int) -> Path:
        return self._folder / f"{self._stage}-{self._when(step)}.json"

    def _when(self, step: int) -> str:
        phase = self._alone or self.phase(step)
        return f"step-{step}" if phase == "during" else phase
