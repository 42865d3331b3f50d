"""The averages of values of prompts, by cell and by any mean of cells, with intervals and p-values."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from random import Random
from typing import Literal

from rewardlab_measure.tables.intervals import (
    LEVEL,
    Interval,
    difference_interval,
    extreme_p,
    other_interval,
    share_interval,
    share_p,
)
from rewardlab_measure.tables.layout import Cell, TableLayout, TablePlace
from rewardlab_measure.tables.prompts import PromptIndex
from rewardlab_measure.tables.sign_test import sign_test, smallest_p
from rewardlab_measure.tables.units import CellValues, Units, units_at

ValueKind = Literal["share", "difference", "other"]
"""what values are: of [0, 1]; differences of such, of [-1, 1]; any other numbers"""


@dataclass(frozen=True, kw_only=True)
class TableAverage:
    """A mean at a place of the table, of `prompts` prompts in `clusters` that are independent of each other.

    Its interval is None if prompts are not known, or are too few to say how much they vary.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    prompts: int | None = None
    clusters: int | None = None

    @property
    def interval(self) -> Interval | None:
        """Its interval of 95%; None if there is none."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class Significance:
    """The p-value of an average, and the smallest that so many clusters could have given if all say the same."""

    p: float
    floor: float


class PromptValues:
    """Values of prompts, and what is averaged over them.

    Each language of each task keeps its size. Prompts of a task that share a cluster count together, in one language
    (questions about one text) and over several (a problem and its translations).
    """

    def __init__(
        self,
        values: "array[float]",
        prompts: PromptIndex,
        layout: TableLayout,
        kind: ValueKind,
        draws: int = 1000,
        seed: str = "",
    ) -> None:
        self.layout, self._kind, self._draws, self._seed = layout, kind, draws, seed
        by_cell: list[tuple[list[int], list[float]]] = [([], []) for _ in prompts.cells]
        for number, value in enumerate(values):
            if value == value:  # not NaN, which stands for no value
                clusters, cell_values = by_cell[prompts.cell_of[number]]
                clusters.append(prompts.cluster_of[number])
                cell_values.append(value)
        self._cells = {
            cell: CellValues(values=numbers, clusters=clusters)
            for cell, (clusters, numbers) in zip(prompts.cells, by_cell, strict=True)
            if numbers
        }

    def cell_means(self) -> dict[Cell, float]:
        """Return the mean of each cell that counts."""
        return {cell: self._cells[cell].mean for cell in self.layout.cells}

    def average(self, place: TablePlace) -> TableAverage | None:
        """Return the average at a place; None if there is no such cell."""
        weights = self.layout.weights(place)
        if not weights:
            return None
        units = units_at(weights, self._cells)
        mean = fsum(weight * self._cells[cell].mean for cell, weight in weights.items())
        low, high = self._interval(mean, units, place) or (None, None)
        prompts = sum(len(self._cells[cell].values) for cell in weights)
        return TableAverage(mean=mean, low=low, high=high, prompts=prompts, clusters=len(units))

    def significance(self, place: TablePlace) -> Significance:
        """Return how significant the average at a place is, if each cluster's part is as likely to be negative."""
        units = units_at(self.layout.weights(place), self._cells)
        return Significance(p=sign_test(units.parts), floor=smallest_p(len(units)))

    def against_even_odds(self, place: TablePlace) -> Significance:
        """Return how significantly the average at a place, of shares, is not a half: by the test of its interval."""
        weights = self.layout.weights(place)
        units = units_at(weights, self._cells)
        mean = fsum(weight * self._cells[cell].mean for cell, weight in weights.items())
        return Significance(p=share_p(mean, units), floor=extreme_p(units))

    def _interval(self, mean: float, units: Units, place: TablePlace) -> Interval | None:
        return _interval_of(self._kind, mean, units, self._draws, Random(f"{self._seed}/{place}"))


def clustered_average(
    values: Sequence[float], clusters: Sequence[int], kind: ValueKind | None = None, level: float = LEVEL
) -> TableAverage | None:
    """Return the average of one cell, of units that count together if they share a cluster; None of no values.

    Args:
        kind: what the values are; None for shares if all are in [0, 1], else any numbers.
        level: of the interval, if the values are shares or differences of such.
    """
    if not values:
        return None
    cell = Cell("", "")
    there = CellValues(values=values, clusters=clusters)
    units = units_at({cell: 1.0}, {cell: there})
    if kind is None:
        kind = "share" if all(0 <= value <= 1 for value in values) else "other"
    low, high = _interval_of(kind, there.mean, units, 0, Random(0), level) or (None, None)
    return TableAverage(mean=there.mean, low=low, high=high, prompts=len(values), clusters=len(units))


def _interval_of(
    kind: ValueKind, mean: float, units: Units, draws: int, random: Random, level: float = LEVEL
) -> Interval | None:
    if kind == "share":
        return share_interval(mean, units, level)
    if kind == "difference":
        return difference_interval(mean, units, level)
    return other_interval(mean, units, draws, random)


def kind_of_values(models: Iterable["array[float]"], compared: bool = False) -> ValueKind:
    """Return what values of models are. compared: what the differences of two models' values are."""
    shares = all(0 <= value <= 1 for values in models for value in values if value == value)
    return ("difference" if compared else "share") if shares else "other"


def cells_with_values(values: "array[float]", prompts: PromptIndex) -> list[Cell]:
    """Return the cells in which some prompt has a value, in the order of the prompts."""
    cells = {prompts.cell_of[number] for number, value in enumerate(values) if value == value}
    return [cell for number, cell in enumerate(prompts.cells) if number in cells]
