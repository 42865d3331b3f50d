"""Length against reward: the mean reward of shorter and longer completions, and how far it goes with length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum, sqrt
from operator import itemgetter

from rewardlab_viewer.read.columns import RunPart, ScoreColumns

BINS = 10
HEAD = ["tokens", "completions", "mean total"]
Row = tuple[int, float]
"""(length, total)"""


@dataclass(frozen=True, kw_only=True)
class LengthTable:
    """Each tenth of a part's completions by length, and of each metric its correlation with length inside of groups.

    Args:
        rows: a head, and the lengths in tokens, the completions and their mean total; those of one length stay
            together.
        correlations: None if either is still.
    """

    part: str
    rows: Sequence[Sequence[str]]
    correlations: Sequence[tuple[str, float | None]]


def length_table(columns: ScoreColumns, part: RunPart, groups: Sequence[int]) -> LengthTable | None:
    """Return the table of a part, without discarded groups; None if lengths are not known or all the same."""
    groups = [group for group in groups if not columns.discarded[group]]
    rows = sorted(row for group in groups for row in _known(columns, group, columns.totals))
    if not rows or rows[0][0] == rows[-1][0]:
        return None
    bins = [_bin([row for _, same in lengths for row in same]) for _, lengths in groupby(_placed(rows), itemgetter(0))]
    correlations = [(name, _correlation(columns, groups, values)) for name, values in columns.metrics()]
    return LengthTable(part=str(part), rows=[HEAD, *bins], correlations=correlations)


def _known(columns: ScoreColumns, group: int, values: Sequence[float]) -> list[Row]:
    """Return length and number of each completion of a group that has both."""
    places = columns.of_group(group)
    return [(columns.tokens[at], values[at]) for at in places if columns.tokens[at] >= 0 and values[at] == values[at]]


def _placed(rows: Sequence[Row]) -> Iterator[tuple[int, list[Row]]]:
    """Yield the rows of each length with their bin: the tenth of all in which the middle one of them is."""
    before = 0
    for _, tied in groupby(rows, itemgetter(0)):
        same = list(tied)
        yield (2 * before + len(same) - 1) * BINS // (2 * len(rows)), same
        before += len(same)


def _bin(rows: Sequence[Row]) -> list[str]:
    mean = fsum(total for _, total in rows) / len(rows)
    return [f"{rows[0][0]} to {rows[-1][0]}", f"{len(rows):,}", f"{mean:.3f}"]


def _correlation(columns: ScoreColumns, groups: Sequence[int], values: Sequence[float]) -> float | None:
    """Return the correlation of length and a number, both centred in their groups."""
    lengths_squared = values_squared = products = 0.0
    for group in groups:
        known = _known(columns, group, values)
        if len(known) < 2:
            continue
        length, value = (fsum(column) / len(known) for column in zip(*known, strict=True))
        for tokens, number in known:
            lengths_squared += (tokens - length) ** 2
            values_squared += (number - value) ** 2
            products += (tokens - length) * (number - value)
    scale = sqrt(lengths_squared) * sqrt(values_squared)
    return products / scale if scale > 1e-12 else None
