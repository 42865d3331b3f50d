"""Length against reward: the mean reward of shorter and longer completions, and how far it goes with length."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from rewardlab_viewer.read.columns import RunPart, ScoreColumns

BINS = 10


@dataclass(frozen=True, kw_only=True)
class LengthBin:
    """A tenth of a part's completions by length. low, high: its lengths in tokens. mean: of the totals."""

    low: int
    high: int
    completions: int
    mean: float


@dataclass(frozen=True, kw_only=True)
class LengthTable:
    """The bins of a part, and of each metric its correlation with length inside of groups; None if either is still."""

    part: str
    bins: Sequence[LengthBin]
    correlations: Sequence[tuple[str, float | None]]


def length_table(columns: ScoreColumns, part: RunPart, groups: Sequence[int]) -> LengthTable | None:
    """Return the table of a part; None if lengths are not known or all the same."""
    rows = sorted(
        (columns.tokens[at], columns.totals[at])
        for group in groups
        for at in columns.of_group(group)
        if columns.totals[at] == columns.totals[at] and columns.tokens[at] > 0
    )
    if not rows or rows[0][0] == rows[-1][0]:
        return None
    size = -(-len(rows) // BINS)
    bins = []
    for start in range(0, len(rows), size):
        chosen = rows[start : start + size]
        mean = fsum(total for _, total in chosen) / len(chosen)
        bins.append(LengthBin(low=chosen[0][0], high=chosen[-1][0], completions=len(chosen), mean=mean))
    correlations = [(name, _correlation(columns, groups, values)) for name, values in columns.metrics()]
    return LengthTable(part=str(part), bins=bins, correlations=correlations)


def _correlation(columns: ScoreColumns, groups: Sequence[int], values: Sequence[float]) -> float | None:
    """Return the correlation of length and a number, both centred in their groups."""
    lengths_squared = values_squared = products = 0.0
    for group in groups:
        known = [(columns.tokens[at], values[at]) for at in columns.of_group(group) if values[at] == values[at]]
        if len(known) < 2:
            continue
        length, value = (fsum(column) / len(known) for column in zip(*known, strict=True))
        for tokens, one in known:
            lengths_squared += (tokens - length) ** 2
            values_squared += (one - value) ** 2
            products += (tokens - length) * (one - value)
    scale = sqrt(lengths_squared) * sqrt(values_squared)
    return products / scale if scale > 1e-12 else None
