"""Averages by field: of each value of it the mean of the total and of each component, with 95% intervals.

What is independent is a problem: the groups of one sample, and of samples that share a `problem`, count together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from rewardlab_measure.tables import TableAverage, clustered_average

from rewardlab_viewer.read.columns import FieldColumn, RunPart, ScoreColumns
from rewardlab_viewer.read.source import TRAINING


@dataclass(frozen=True, kw_only=True)
class SliceRow:
    """A row: a value of the field, or all. averages: one for each metric, None if nothing has a value."""

    value: str
    problems: int
    completions: int
    averages: Sequence[TableAverage | None]


@dataclass(frozen=True, kw_only=True)
class SliceTable:
    """A table of a part by a field. metrics: the names of its columns."""

    part: str
    field: str
    metrics: Sequence[str]
    rows: Sequence[SliceRow]


def slice_tables(columns: ScoreColumns, fields: Sequence[str]) -> Iterator[SliceTable]:
    """Yield the tables of the last evaluation, then of training, by each field in turn; the first row is of all.

    A part that no field splits has one table, of the field "", with this row alone.
    """
    for part, groups in _shown_parts(columns):
        used = [group for group in groups if not columns.discarded[group]]
        means = {name: _group_means(columns, used, values) for name, values in columns.metrics()}
        known = {name: means_of for name, means_of in means.items() if means_of}
        whole = _row(columns, "all", used, known)
        tables = []
        for name in fields:
            column = columns.fields[name]
            chosen = {
                value: [group for group in used if column.codes[group] == code] for value, code in _ordered(column)
            }
            rows = [_row(columns, value, means_of, known) for value, means_of in chosen.items() if means_of]
            if len(rows) > 1:
                tables.append(SliceTable(part=str(part), field=name, metrics=list(known), rows=[whole, *rows]))
        if known:
            yield from tables or [SliceTable(part=str(part), field="", metrics=list(known), rows=[whole])]


def _ordered(column: FieldColumn) -> list[tuple[str, int]]:
    return sorted(column.values.items())


def _shown_parts(columns: ScoreColumns) -> list[tuple[RunPart, list[int]]]:
    parts = columns.groups_by_part()
    training = [(part, groups) for part, groups in parts.items() if part.phase == TRAINING]
    return [*[(part, groups) for part, groups in parts.items() if part.phase != TRAINING][-1:], *training]


def _group_means(columns: ScoreColumns, groups: Sequence[int], values: Sequence[float]) -> Mapping[int, float]:
    means = {}
    for group in groups:
        known = [values[at] for at in columns.of_group(group) if values[at] == values[at]]
        if known:
            means[group] = fsum(known) / len(known)
    return means


def _row(
    columns: ScoreColumns, value: str, groups: Sequence[int], means: Mapping[str, Mapping[int, float]]
) -> SliceRow:
    averages = []
    for of_group in means.values():
        known = [group for group in groups if group in of_group]
        averages.append(
            clustered_average([of_group[member] for member in known], [columns.problem[member] for member in known])
        )
    return SliceRow(
        value=value,
        problems=len({columns.problem[group] for group in groups}),
        completions=sum(len(columns.of_group(group)) for group in groups),
        averages=averages,
    )
