"""The view of one source on the page: its figures, made in one reading of its lines, and its texts."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from math import fsum
from typing import Any

from rewardlab_measure.causes import LedgerMovement
from rewardlab_records.ledger import is_discarded
from rewardlab_training import RunAlarm

from rewardlab_viewer.figures.agreement import Agreement, agreements
from rewardlab_viewer.figures.alarms import StepNumbers
from rewardlab_viewer.figures.asked_again import AskedAgain
from rewardlab_viewer.figures.changes import change_tables
from rewardlab_viewer.figures.counted_info import CountedInfo
from rewardlab_viewer.figures.coverage import (
    ComponentCoverage,
    Coverage,
    component_coverage,
    coverage,
    left_out_sentence,
)
from rewardlab_viewer.figures.curves import StageCurves, stage_curves, thinned
from rewardlab_viewer.figures.data import data_table
from rewardlab_viewer.figures.groups import flat_table
from rewardlab_viewer.figures.judges import JudgeConsistency, usage_table
from rewardlab_viewer.figures.lengths import LengthTable, length_table
from rewardlab_viewer.figures.movement_section import MovementSection, movement_section
from rewardlab_viewer.figures.people import PeopleSection, people_section
from rewardlab_viewer.figures.rule_errors import RuleErrors
from rewardlab_viewer.figures.slices import SliceTable, slice_tables
from rewardlab_viewer.page.chunks import TextChunks
from rewardlab_viewer.read.columns import ScoreColumns
from rewardlab_viewer.read.labels import Label, LabelFinder
from rewardlab_viewer.read.source import Line, Source, groups_of

MAX_TABLES = 16
"""fields that get a table each"""
IDENTIFYING = 16
"""first problems and totals, which tell a scored file from others"""
SHARES = {"flat groups": (0.0, 1.0)}
"""the bounds of what is drawn beside the total and the components"""


@dataclass(kw_only=True)
class RunView:
    """All that the page has of a source."""

    source: Source
    columns: ScoreColumns
    chunks: TextChunks
    movement: MovementSection | None
    curves: Sequence[StageCurves]
    changes: Sequence[SliceTable]
    slices: Sequence[SliceTable]
    coverage: Sequence[Coverage]
    components: Sequence[ComponentCoverage]
    data: Sequence[Sequence[str]]
    flat: Sequence[Sequence[str]]
    lengths: Sequence[LengthTable]
    usage: Sequence[Sequence[str]]
    consistency: Sequence[Sequence[str]]
    wins: Sequence[Sequence[str]]
    asked_again: Sequence[Sequence[str]]
    rule_errors: Sequence[Sequence[str]]
    agreements: Sequence[Agreement]
    counted_info: Sequence[Sequence[str]]
    alarms: Sequence[RunAlarm]
    people: PeopleSection | None
    to_label: Sequence[tuple[int, int, int]] = ()
    """(group, two places) of each pair that is to be marked first"""

    @property
    def identity(self) -> str:
        """The digits by which a browser keeps labels of this source."""
        first = [*islice(self.columns.problems, IDENTIFYING), *self.columns.totals[:IDENTIFYING]]
        return hashlib.sha256(json.dumps(self.source.begun or first).encode()).hexdigest()[:16]

    @property
    def left_out(self) -> str | None:
        """A sentence about the completions that were discarded."""
        return left_out_sentence(self.coverage)

    @property
    def total(self) -> str:
        """The total in words; "" if nothing says it."""
        reward = self.source.reward
        expression = reward.get("total") if isinstance(reward, Mapping) else None
        bounds = self.source.ranges().get("total")
        between = f", from {bounds[0]:g} to {bounds[1]:g}" if bounds else ""
        return f"total = {expression}{between}" if isinstance(expression, str) else ""

    @property
    def mean_total(self) -> float | None:
        """The mean of all totals; None if there is none."""
        known = [total for total in self.columns.totals if total == total]
        return fsum(known) / len(known) if known else None

    def results(self) -> Iterator[tuple[str, list[list[str]], list[str]]]:
        """Yield (title, rows, notes) of each evaluation: before and after a stage as one table."""
        by_slice = self.source.results
        for name, results in by_slice.items():
            stage, _, when = name.rpartition("-")
            if when == "before" and f"{stage}-after" in by_slice:
                continue
            earlier = by_slice.get(f"{stage}-before") if when == "after" else None
            then = {part.name: part.means for part in earlier.slices} if earlier else {}
            rows = [["", "prompts", *results.slices[0].means]]
            for part in results.slices:
                cells = [_change(then.get(part.name, {}).get(key), part.means.get(key)) for key in rows[0][2:]]
                rows.append([part.name, f"{part.prompts:,}", *cells])
            yield f"{stage}: before → after" if earlier else name, rows, list(results.slices[0].notes())

    def charts(self) -> dict[str, Any]:
        """Return what the page's script draws, as JSON values."""
        logs = [asdict(thinned(log)) for log in self.source.logs]
        stages = [asdict(curves) for curves in self.curves]
        return {"stages": stages, "logs": logs, "ranges": {**SHARES, **self.source.ranges()}}


def view_of(source: Source, labels: LabelFinder, to_label: Sequence[Label] = ()) -> RunView:
    """Read a source and return its view; the caller closes its chunks.

    Args:
        to_label: pairs that are to be marked first.
    """
    sums = SourceSums(source, labels, to_label)
    for lines in groups_of(source.lines()):
        sums.add(lines)
    return sums.view()


class SourceSums:
    """The sums over the groups of a source, which may go on after a view of them."""

    def __init__(self, source: Source, labels: LabelFinder, to_label: Sequence[Label] = ()) -> None:
        self.source = source
        self._to_label = LabelFinder(to_label)
        self.columns, self.chunks = ScoreColumns(source.names), TextChunks()
        self._labels, self._steps = labels, StepNumbers(source)
        self._consistency = JudgeConsistency(source.correctness)
        self._asked_again, self._rule_errors = AskedAgain(), RuleErrors()
        self._counted_info = CountedInfo(source.counted_info)
        self._movement = LedgerMovement()

    def add(self, lines: Sequence[Line]) -> None:
        """Add the lines of a group."""
        for finder in (self._labels, self._to_label):
            finder.add(self.columns.groups, lines)
        self.columns.add(lines, is_discarded(lines[0]))
        self.chunks.add(lines)
        self._steps.add(lines)
        self._movement.add(lines)
        self._consistency.add(lines)
        self._asked_again.add(lines)
        self._rule_errors.add(lines)
        for line in lines:
            self._counted_info.add(line)

    def view(self) -> RunView:
        """Return what the page shows of the groups so far."""
        columns, source = self.columns, self.source
        self.chunks.flush()
        fields = columns.split_fields()[:MAX_TABLES]
        parts = columns.groups_by_part().items()
        return RunView(
            source=source,
            columns=columns,
            chunks=self.chunks,
            movement=movement_section(self._movement, *(["that were scored"] if source.folder is None else [])),
            curves=stage_curves(columns),
            changes=list(change_tables(columns, fields[0] if fields else None)),
            slices=list(slice_tables(columns, fields)),
            coverage=list(coverage(columns, source.expected, source.results)),
            components=component_coverage(columns),
            data=list(data_table(columns)),
            flat=list(flat_table(columns, fields[:1])),
            lengths=[table for part, groups in parts if (table := length_table(columns, part, groups))],
            usage=list(usage_table(source.usage, source.replies, source.notes)),
            consistency=list(self._consistency.table()),
            wins=list(self._consistency.wins()),
            asked_again=list(self._asked_again.table()),
            rule_errors=list(self._rule_errors.table()),
            agreements=list(agreements(columns, source.correctness)),
            counted_info=list(self._counted_info.table()),
            alarms=self._steps.alarms(),
            people=people_section(columns, self._labels.located()),
            to_label=[(pair.group, pair.better, pair.worse) for pair in self._to_label.located()],
        )


def _change(then: float | None, now: float | None) -> str:
    shown = "–" if now is None else f"{now:.2f}"
    return shown if then is None else f"{then:.2f} → {shown}"
