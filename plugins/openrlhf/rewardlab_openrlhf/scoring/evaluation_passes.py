"""Evaluations in the middle of a training: passes over the held-out prompts, each with results once it is complete."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rewardlab.training import Phase, Results, ScoredGroup, summarise, write_evaluation_rows


class EvaluationPasses:
    """The evaluations of an rl stage. OpenRLHF evaluates after every `every` steps and does not say after which.

    folder: evaluation/ of the run. stage: the name of its files. rows: prompts of a pass. by: the fields that split
    results. last: the step after which the training ends. trained: steps that were done when this job began.
    tracked: each is called with the step and the results of each evaluation.
    """

    def __init__(
        self,
        folder: Path,
        stage: str,
        rows: int,
        by: Sequence[str],
        every: int,
        last: int,
        trained: int = 0,
        tracked: Sequence[Callable[[int, Results], None]] = (),
    ):
        self._folder = folder
        self._stage = stage
        self._rows = rows
        self._by = by
        self._every = every
        self._last = last
        self._tracked = tracked
        self._step = trained // every * every
        self._groups: dict[int, ScoredGroup] = {}
        self._first: dict[int, ScoredGroup] = {}

    def step_of_next(self, trained: int | None) -> int:
        """Return the step of the pass that the next group belongs to.

        trained: how many steps have been trained on, where that is known: a pass that this group begins then belongs to
        the last of them that is evaluated, and else to the next one that is.
        """
        if self._groups:
            return self._step
        known = 0 if trained is None else trained // self._every * self._every
        return min(self._last, max(self._step + self._every, known))

    def phase(self, step: int) -> Phase:
        """Return the phase of the pass of this step: "before" the first, "after" the last one, or "during" training."""
        return "before" if step == 0 else "after" if step == self._last else "during"

    def rows_of_first(self) -> list[int]:
        """Return the rows that an evaluation before the first step still lacks."""
        return [row for row in range(self._rows) if row not in self._first]

    def add_to_first(self, row: int, scored: ScoredGroup) -> int | None:
        """Add a group to the pass before the first step; return 0 where that makes it complete."""
        if row in self._first:
            return None
        self._first[row] = scored
        if len(self._first) < self._rows:
            return None
        self._write(0, [self._first[index] for index in range(self._rows)])
        return 0

    def add(self, row: int, scored: ScoredGroup, trained: int | None) -> int | None:
        """Add a group to the pass; return the pass's step where it is complete now and its results are written.

        trained: as in `step_of_next`.
        """
        self._step = self.step_of_next(trained)
        self._groups[row] = scored
        if len(self._groups) < self._rows:
            return None
        groups = [self._groups[index] for index in sorted(self._groups)]
        self._groups = {}
        self._write(self._step, groups)
        return self._step

    def _write(self, step: int, groups: Sequence[ScoredGroup]) -> None:
        phase = self.phase(step)
        when = f"step-{step}" if phase == "during" else phase
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._stage}-{when}.json"
        write_evaluation_rows(path.with_suffix(".rows.jsonl"), groups)
        results = summarise(groups, self._by, name=f"{self._stage} {when}")
        results.save(path)
        for tracked in self._tracked:
            tracked(step, results)
