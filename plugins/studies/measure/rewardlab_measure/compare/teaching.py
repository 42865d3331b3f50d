"""The question which of two rewards teaches more of a truth, and its answer from the rows as they are scored."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Any

from rewardlab import Group, Sample
from rewardlab.data import prompt_hash
from rewardlab.errors import UserError

from rewardlab_measure.compare.gain import Gains, GroupGain, group_gain
from rewardlab_measure.compare.looks import looks_at
from rewardlab_measure.compare.measures import rewards_of
from rewardlab_measure.compare.rows import ComparedRow
from rewardlab_measure.compare.truth import ComparedSides, find_truth
from rewardlab_measure.compare.verdict import TaughtTruth, TruthVerdict, taught
from rewardlab_measure.tables.clusters import cluster_key
from rewardlab_measure.tables.intervals import LEVEL
from rewardlab_measure.tables.prompts import TASK_FIELDS

Slice = tuple[int, str]
"""(the place of its field, "language de")"""
ALL: Slice = (-1, "all")
"""the slice of all groups, which comes before the slices by field"""


@dataclass(frozen=True, kw_only=True)
class TruthQuestion:
    """What is asked about a truth.

    Args:
        truth: a component, of one side if it begins with a: or b:, or a column of the rows.
        detect: the difference of gains that would matter.
        sequential: whether to stop at a look that decides.
    """

    truth: str
    detect: float | None = None
    sequential: bool = False


@dataclass(frozen=True, kw_only=True)
class TruthAnswer:
    """The answer: what A and B teach of the truth, "all" first, then each slice by field.

    Args:
        level: of the intervals; a look on the way has wider ones.
        rows, of: how many rows were scored, of how many.
        unknown: completions without a truth; they count nowhere.
        is_clustered: whether it is known which prompts are of one problem; not without the rows.
    """

    question: TruthQuestion
    slices: Mapping[str, TaughtTruth]
    level: float
    rows: int
    of: int
    unknown: int = 0
    is_clustered: bool = True

    @property
    def verdict(self) -> TruthVerdict:
        """The answer over all prompts."""
        return self.slices[ALL[1]].verdict(self.question.detect)


class TruthComparison:
    """The gains of the rows that were scored so far. A UserError if nothing gives such a truth."""

    def __init__(self, question: TruthQuestion, sides: ComparedSides, has_rows: bool) -> None:
        self._question, self._source = question, find_truth(question.truth, sides, has_rows)
        self._gains: dict[Slice, Gains] = {ALL: Gains()}
        self._level = LEVEL
        self._rows = 0
        self._unknown = 0
        self._has_rows = has_rows
        self._differs = bool(self._source.sides)

    def misfit(self, group: Group) -> str | None:
        """Return why a row has no such truth; None if it has."""
        wrong = self._source.misfit(group)
        if wrong is None and not self._differs:
            known = [value for value in group.sample.fields[self._source.name] if value is not None]
            self._differs = len(set(known)) > 1
        return wrong

    def refuse_constant(self, path: str) -> None:
        """Raise a UserError, before anything is scored, if no completions of a prompt differ in the column."""
        if not self._differs:
            what = f"--truth {self._source.name}: in no row do two completions differ in it, so no reward can teach it"
            raise UserError(what, where=path)

    def parts(self, rows: Iterator[ComparedRow], count: int) -> Iterator[Iterator[ComparedRow]]:
        """Yield the rows up to each look, and no more once one has decided; all at once if nothing is to be saved."""
        if not self._question.sequential:
            yield rows
            return
        for look in looks_at(count):
            yield islice(rows, look.rows - self._rows)
            self._level = look.level
            if taught(self._gains[ALL], look.level).is_decided(self._question.detect):
                return

    def add(
        self, row: ComparedRow, a: Mapping[str, Any], b: Mapping[str, Any], slices: Sequence[Slice]
    ) -> GroupGain | None:
        """Count a row, as both sides scored it, and return its gain; None if too little of it is known."""
        self._rows += 1
        truth = self._source.values(row, a, b)
        self._unknown += sum(value is None for value in truth)
        gain = group_gain(rewards_of(a), rewards_of(b), truth)
        keys = list(_keys(row.sample))
        for key in slices:
            self._gains.setdefault(key, Gains()).add(gain, keys)
        return gain

    def result(self, count: int) -> TruthAnswer:
        """Return the answer after the last row. count: of the rows that there were."""
        slices = {
            label: taught(gains, self._level) for (_, label), gains in sorted(self._gains.items(), key=itemgetter(0))
        }
        return TruthAnswer(
            question=self._question,
            slices=slices,
            level=self._level,
            rows=self._rows,
            of=count,
            unknown=self._unknown,
            is_clustered=self._has_rows,
        )


def _keys(sample: Sample) -> Iterator[Hashable]:
    """Yield what a row shares with those that count as one with it: its problem, as in tables, and its prompt."""
    task = next((str(sample.fields[name]) for name in TASK_FIELDS if sample.fields.get(name) is not None), "")
    if (problem := cluster_key(None, task, sample.fields, sample.source)) is not None:
        yield "problem", problem
    if any(message["content"] for message in sample.prompt):
        yield "prompt", prompt_hash(sample.prompt)
