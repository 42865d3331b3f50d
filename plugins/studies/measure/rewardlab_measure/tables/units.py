"""The independent units at a place of the table: prompts, or the clusters of prompts that are drawn together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum

from rewardlab_measure.tables.layout import Cell, Weights

ROUNDING = 1e-24
"""of the squares of what units add to an average: what rounding alone leaves of their variance"""


@dataclass(frozen=True, kw_only=True)
class CellValues:
    """The values of a cell's prompts, and the cluster of each."""

    values: Sequence[float]
    clusters: Sequence[int]

    @cached_property
    def count(self) -> int:
        """The number of clusters."""
        return len(set(self.clusters))

    @cached_property
    def mean(self) -> float:
        """The mean over the prompts."""
        return fsum(self.values) / len(self.values)


@dataclass(kw_only=True)
class Units:
    """The independent units at a place, and what each adds to its average.

    Args:
        shares: of the average's weight, which add up to 1.
        deviations: from what the average would be if the unit were as its cells are, enlarged for the fact that it
            is part of these itself.
        parts: to the average.
        own: of a unit's share, the part that it has of its cells' means.
        is_known: False if nothing says how much a cell varies.
    """

    shares: list[float] = field(default_factory=list)
    deviations: list[float] = field(default_factory=list)
    parts: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    is_known: bool = True

    def __len__(self) -> int:
        return len(self.shares)

    @cached_property
    def variance(self) -> float:
        """The estimated variance of the average; 0 of equal values, whatever their mean was rounded to."""
        total = fsum(deviation * deviation for deviation in self.deviations)
        return total if total > ROUNDING * fsum(part * part for part in self.parts) else 0.0

    @cached_property
    def concentration(self) -> float:
        """The sum of the squared shares: 1 / n of n units that count alike (Kish)."""
        return fsum(share * share for share in self.shares)

    @cached_property
    def freedom(self) -> float:
        """The degrees of freedom of the variance, at least 1 (Satterthwaite's).

        As many as units of equal spread would have, but no more than so heavy tails leave: the variance of n values of
        kurtosis k is as uncertain as that of 2 n / (k - 1) normal ones.
        """
        spread = fsum(share**4 / max(1e-9, 1 - own / share) for share, own in zip(self.shares, self.own, strict=True))
        degrees = self.concentration**2 / spread
        fourth = fsum(deviation**4 for deviation in self.deviations)
        kurtosis = len(self) * fourth / self.variance**2 if self.variance else 1.0
        return max(1.0, min(degrees, 2 * len(self) / (kurtosis - 1)) if kurtosis > 1 else degrees)


def units_at(weights: Weights, cells: Mapping[Cell, CellValues]) -> Units:
    """Return the units at the place whose average has these weights of cells."""
    units, index = Units(), dict[int, int]()
    bases = _Bases(weights, cells)
    for cell, weight in weights.items():
        there = cells[cell]
        each = weight / len(there.values)
        centre, count = bases.of(cell)
        if count < 2:
            units.is_known = False
            count = 2
        scale, own = each * (count / (count - 1)) ** 0.5, each / count
        for cluster, value in zip(there.clusters, there.values, strict=True):
            at = index.setdefault(cluster, len(index))
            if at == len(units.shares):
                units.shares.append(each)
                units.deviations.append(scale * (value - centre))
                units.parts.append(each * value)
                units.own.append(own)
            else:
                units.shares[at] += each
                units.deviations[at] += scale * (value - centre)
                units.parts[at] += each * value
                units.own[at] += own
    return units


class _Bases:
    """The mean about which the values of a cell vary; a cell of one unit has none, and varies as its task does."""

    def __init__(self, weights: Weights, cells: Mapping[Cell, CellValues]) -> None:
        self._weights, self._cells = weights, cells
        self._of_task: dict[str, tuple[float, int]] = {}

    def of(self, cell: Cell) -> tuple[float, int]:
        """Return (the mean, how many units it is of)."""
        there = self._cells[cell]
        if there.count > 1:
            return there.mean, there.count
        if cell.task not in self._of_task:
            chosen = {other: weight for other, weight in self._weights.items() if other.task == cell.task}
            mean = fsum(weight * self._cells[other].mean for other, weight in chosen.items()) / fsum(chosen.values())
            units = len({cluster for other in chosen for cluster in self._cells[other].clusters})
            self._of_task[cell.task] = mean, units
        return self._of_task[cell.task]
