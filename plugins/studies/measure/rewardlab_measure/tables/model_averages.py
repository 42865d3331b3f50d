"""The averages of all models of a table at all places, and the differences of pairs of them."""

from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import fsum, nan

from rewardlab_measure.tables.averages import PromptValues, TableAverage, ValueKind, cells_with_values, kind_of_values
from rewardlab_measure.tables.comparisons import Comparison
from rewardlab_measure.tables.layout import Cell, TableLayout, TablePlace
from rewardlab_measure.tables.model import Model
from rewardlab_measure.tables.prompts import PromptIndex

CellMeans = Mapping[Cell, float]


class ModelAverages:
    """The averages of models whose prompts are known, or whose averages were printed."""

    def __init__(
        self, models: Sequence[Model], prompts: PromptIndex, layout: TableLayout, draws: int, seed: int
    ) -> None:
        self._models = {model.name: model for model in models}
        self._prompts, self._layout, self._draws, self._seed = prompts, layout, draws, seed
        self._means: dict[tuple[str, str], CellMeans] = {}

    def all(self, measures: Sequence[str]) -> dict[tuple[str, str, TablePlace], TableAverage]:
        """Return the average for each (model, measure, place) that a model has."""
        averages = {}
        for model in self._models.values():
            for measure in measures:
                for place, average in self._of(model, measure):
                    averages[model.name, measure, place] = average
        return averages

    def comparisons(self, measure: str, pairs: Sequence[tuple[str, str]]) -> list[Comparison]:
        """Return the comparisons of pairs (model, against), not yet corrected for their number."""
        comparisons = []
        for model, against in pairs:
            both = self._models[model], self._models[against]
            printed = any(compared.printed is not None for compared in both)
            comparisons += self._printed_pair(measure, *both) if printed else self._tested_pair(measure, *both)
        return comparisons

    def describe_printed_pairs(self, measure: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """Return which pairs with a printed model are compared over fewer cells than either has, in words."""
        notes = []
        for model, against in pairs:
            first, other = self._models[model], self._models[against]
            if first.printed is None and other.printed is None:
                continue
            cells = [self._cell_means(measure, each) for each in (first, other)]
            kept = [_comparable(self._layout, *each) for each in (cells, cells[::-1])]
            if not kept[0]:
                notes.append(f"{model} and {against} have no task in a language in common, and are not compared")
            elif any(len(cells_kept) < len(every) for cells_kept, every in zip(kept, cells, strict=True)):
                least = min(map(len, kept))
                notes.append(f"{model} and {against} are compared over the {least:,} languages of tasks that both have")
        return notes

    def _tested_pair(self, measure: str, model: Model, against: Model) -> list[Comparison]:
        both = model.values[measure], against.values[measure]
        kind = kind_of_values(both, compared=True)
        values = self._values(_differences(*both), kind, f"{model.name} - {against.name}/{measure}")
        tested = []
        for place in values.layout.places():
            average = values.average(place)
            if average is not None:
                significance = values.significance(place)
                tested.append(
                    Comparison(
                        measure=measure,
                        model=model.name,
                        against=against.name,
                        place=place,
                        difference=average,
                        p=significance.p,
                        floor=significance.floor,
                    )
                )
        return tested

    def _printed_pair(self, measure: str, model: Model, against: Model) -> list[Comparison]:
        """Return the differences of averages of which at least one was printed, over the cells that both have."""
        cells = [self._cell_means(measure, each) for each in (model, against)]
        layouts = [self._layout.only(_comparable(self._layout, *each)) for each in (cells, cells[::-1])]
        places = [place for place in layouts[0].places() if place in set(layouts[1].places())]
        pairs = []
        for place in places if layouts[0].cells else []:
            first, other = (_mean(layout, place, means) for means, layout in zip(cells, layouts, strict=True))
            difference = TableAverage(mean=first - other)
            pairs.append(
                Comparison(measure=measure, model=model.name, against=against.name, place=place, difference=difference)
            )
        return pairs

    def _of(self, model: Model, measure: str) -> list[tuple[TablePlace, TableAverage]]:
        if model.printed is not None:
            return self._of_printed(model.printed[measure])
        values = self._prompt_values(model, measure)
        return [(place, average) for place in values.layout.places() if (average := values.average(place)) is not None]

    def _of_printed(self, cells: CellMeans) -> list[tuple[TablePlace, TableAverage]]:
        layout = self._layout.only(cells)
        return [(place, TableAverage(mean=_mean(layout, place, cells))) for place in layout.places()]

    def _cell_means(self, measure: str, model: Model) -> CellMeans:
        key = model.name, measure
        if key not in self._means:
            if model.printed is not None:
                there = set(self._layout.cells)
                self._means[key] = {cell: mean for cell, mean in model.printed[measure].items() if cell in there}
            else:
                self._means[key] = self._prompt_values(model, measure).cell_means()
        return self._means[key]

    def _prompt_values(self, model: Model, measure: str) -> PromptValues:
        return self._values(model.values[measure], self._kinds[measure], f"{model.name}/{measure}")

    @cached_property
    def _kinds(self) -> Mapping[str, ValueKind]:
        measures = dict.fromkeys(measure for model in self._models.values() for measure in model.values)
        answered = [model for model in self._models.values() if model.printed is None]
        return {measure: kind_of_values(model.values[measure] for model in answered) for measure in measures}

    def _values(self, values: "array[float]", kind: ValueKind, seed: str) -> PromptValues:
        layout = self._layout.only(cells_with_values(values, self._prompts))
        return PromptValues(values, self._prompts, layout, kind, self._draws, f"{self._seed}/{seed}")


def _mean(layout: TableLayout, place: TablePlace, cells: CellMeans) -> float:
    return fsum(weight * cells[cell] for cell, weight in layout.weights(place).items())


def _comparable(layout: TableLayout, cells: CellMeans, others: CellMeans) -> set[Cell]:
    """Return the cells that stand in the same place of the table as one of the others.

    Where only the whole of a task was printed, without a language, that stands beside all languages of the other model.
    """
    shown = {layout.shown(cell) for cell in others}
    tasks = {cell.task for cell in others}
    return {
        cell
        for cell in cells
        if layout.shown(cell) in shown or Cell(cell.task, "") in shown or (not cell.language and cell.task in tasks)
    }


def _differences(values_of: "array[float]", other: "array[float]") -> "array[float]":
    size = max(len(values_of), len(other))
    padded = [values + array("d", [nan]) * (size - len(values)) for values in (values_of, other)]
    return array("d", (a - b for a, b in zip(*padded, strict=True)))
