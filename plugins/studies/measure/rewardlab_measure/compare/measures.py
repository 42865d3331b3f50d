"""Two rewards on one group: how alike the advantages are that a trainer would make of them.

An advantage is a shaped reward less the group's mean, as trainers centre it. Correlations do not depend on what a
trainer divides it by. Every sum is exact (`math.fsum`), so that the order of the completions changes nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rewardlab_measure.correlation import correlation, deviations_of, ranks

TOLERANCE = 1e-9
"""Shaped rewards of a group are equal if they differ by no more than this share of the largest |total| or |shaped|.

What differs by rounding alone (1e-16 of the totals) stays below it also after a division by `normalize/std`'s eps; and
it is a hundred times finer than the float32 in which trainers compute.
"""

LeftOut = Literal["one completion", "missing totals"]


@dataclass(frozen=True, kw_only=True)
class SideRewards:
    """The rewards that one side gave to a group: total (G,), None if there is none; shaped (G,)."""

    total: Sequence[float | None]
    shaped: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class GroupMeasures:
    """The measures of one group over its `compared` completions, those with a total on both sides.

    Pairs are (A's, B's).

    Args:
        left_out: why nothing is measured; all fields below it are then empty.
        flat: whether the shaped rewards do not differ.
        std: their standard deviation, dividing by n.
        pearson, spearman: of the shaped rewards, in [-1, 1]; None if a side is flat (spearman also if all are ties).
        distance: root mean square of the difference of the advantages, each side's in units of its standard deviation,
            in [0, 2]; a flat side's are 0. pearson is 1 - distance² / 2 if neither is flat.
        flipped: places, from 0, of the completions whose advantages have opposite signs.
        best_changes: whether no completion is the best of both sides; None if a side is flat.
    """

    size: int
    compared: int
    without_total: tuple[int, int] = (0, 0)
    left_out: LeftOut | None = None
    flat: tuple[bool, bool] = (False, False)
    std: tuple[float, float] = (0.0, 0.0)
    pearson: float | None = None
    spearman: float | None = None
    distance: float | None = None
    flipped: tuple[int, ...] = ()
    best_changes: bool | None = None

    @property
    def flips(self) -> int:
        """The number of flipped completions."""
        return len(self.flipped)


def rewards_of(row: Mapping[str, Any]) -> SideRewards:
    """Return the rewards of a line that `score` writes."""
    return SideRewards(total=row["total"], shaped=row["shaped"])


def measure(a: SideRewards, b: SideRewards) -> GroupMeasures:
    """Measure one group whose completions both sides have in the same order."""
    size = len(a.total)
    there = [i for i in range(size) if a.total[i] is not None and b.total[i] is not None]
    measures = GroupMeasures(
        size=size,
        compared=len(there),
        without_total=(sum(t is None for t in a.total), sum(t is None for t in b.total)),
    )
    if len(there) < 2:
        return replace(measures, left_out="one completion" if size < 2 else "missing totals")
    a_statistics, b_statistics = SideStatistics.of(a, there), SideStatistics.of(b, there)
    measures = replace(measures, flat=(a_statistics.flat, b_statistics.flat), std=(a_statistics.std, b_statistics.std))
    apart = math.sqrt(
        math.fsum((x - y) ** 2 for x, y in zip(a_statistics.units, b_statistics.units, strict=True)) / len(there)
    )
    if a_statistics.flat or b_statistics.flat:
        return replace(measures, distance=apart)
    return replace(
        measures,
        pearson=correlation(a_statistics.shaped, b_statistics.shaped),
        spearman=correlation(
            ranks(a_statistics.shaped, a_statistics.tolerance), ranks(b_statistics.shaped, b_statistics.tolerance)
        ),
        distance=min(2.0, apart),
        flipped=tuple(i for i, x, y in zip(there, a_statistics.signs, b_statistics.signs, strict=True) if x * y < 0),
        best_changes=a_statistics.best.isdisjoint(b_statistics.best),
    )


@dataclass(frozen=True, kw_only=True)
class SideStatistics:
    """The shaped rewards of one side for the compared completions, and their mean over all that have a total."""

    shaped: Sequence[float]
    mean: float
    tolerance: float

    @classmethod
    def of(cls, rewards: SideRewards, there: Sequence[int]) -> "SideStatistics":
        present = [s for s, total in zip(rewards.shaped, rewards.total, strict=True) if total is not None]
        both = [value for i in there for value in (rewards.shaped[i], rewards.total[i])]
        largest = max(abs(value) for value in both if value is not None)
        return cls(
            shaped=[rewards.shaped[i] for i in there],
            mean=math.fsum(value / len(present) for value in present),
            tolerance=TOLERANCE * largest,
        )

    @property
    def flat(self) -> bool:
        return max(self.shaped) - min(self.shaped) <= self.tolerance

    @property
    def std(self) -> float:
        center = math.fsum(value / len(self.shaped) for value in self.shaped)
        return math.hypot(*(value - center for value in self.shaped)) / math.sqrt(len(self.shaped))

    @property
    def units(self) -> list[float]:
        """The advantages in units of their standard deviation; 0 if there is no variance."""
        if self.flat:
            return [0.0] * len(self.shaped)
        deviations = deviations_of(self.shaped)
        unit = math.sqrt(math.fsum(d * d for d in deviations) / len(deviations))
        return [deviation / unit for deviation in deviations]

    @property
    def signs(self) -> list[int]:
        advantages = [value - self.mean for value in self.shaped]
        return [(a > self.tolerance) - (a < -self.tolerance) for a in advantages]

    @property
    def best(self) -> set[int]:
        """The places of the highest rewards: several if they are equal."""
        least = max(self.shaped) - self.tolerance
        return {place for place, value in enumerate(self.shaped) if value >= least}


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile at `share`, in [0, 1], of sorted values (n,), n > 0: linear between the two nearest."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
