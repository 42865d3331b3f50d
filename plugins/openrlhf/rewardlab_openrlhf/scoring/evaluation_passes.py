"""Evaluations in the middle of a training: passes over the held-out prompts, each with results once it is complete."""

from collections.abc import Sequence
from pathlib import Path

from rewardlab.training import ScoredGroup, summarise, write_evaluation_rows


class EvaluationPasses:
    """The evaluations of an rl stage. OpenRLHF evaluates after every `every` steps and does not say after which.

    folder: evaluation/ of the run. stage: the name of its files. rows: prompts of a pass. by: the fields that split
    results. last: the step after which the training ends. trained: steps that were done when this job began.
    """

    def __init__(self, folder: Path, stage: str, rows: int, by: Sequence[str], every: int, last: int, trained: int = 0):
        self._folder = folder
        self._stage = stage
        self._rows = rows
        self._by = by
        self._every = every
        self._last = last
        self._step = trained // every * every
        self._groups: dict[int, ScoredGroup] = {}

    def add(self, row: int, scored: ScoredGroup, trained: int | None) -> int | None:
        """Add a group to the pass; return the pass's step where it is complete now and its results are written.

        trained: how many steps have been trained on, where that is known: the pass then belongs to the last of them
        that is evaluated, and else to the next one that is.
        """
        if not self._groups:
            known = 0 if trained is None else trained // self._every * self._every
            self._step = min(self._last, max(self._step + self._every, known))
        self._groups[row] = scored
        if len(self._groups) < self._rows:
            return None
        groups = [self._groups[index] for index in sorted(self._groups)]
        self._groups = {}
        self._write("after" if self._step == self._last else f"step-{self._step}", groups)
        return self._step

    def _write(self, when: str, groups: Sequence[ScoredGroup]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._stage}-{when}.json"
        write_evaluation_rows(path.with_suffix(".rows.jsonl"), groups)
        summarise(groups, self._by, name=f"{self._stage} {when}").save(path)
