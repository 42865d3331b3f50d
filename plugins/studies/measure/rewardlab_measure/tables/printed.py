"""Averages that a paper or another tool printed: a file with a row for each task and language, without completions."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from rewardlab.data import kind_of, read_lines
from rewardlab.errors import Problem, UserError

from rewardlab_measure.tables.layout import Cell
from rewardlab_measure.tables.prompts import TASK_FIELDS, PromptFields
from rewardlab_measure.tables.sources import ModelSource

ABSENT = (None, "", "-", "N/A")
"""what stands in a table if there is no number"""
NOT_MEASURES = ("model", "task", "eval_set", "language")


def measure_columns(source: ModelSource) -> list[str]:
    """Return the columns of a file of averages that are measures."""
    rows = (row for _, row in read_lines(source.path) if not isinstance(row, Problem))
    names = dict.fromkeys(name for row in rows for name in row)  # a row of CSV has no columns that are empty in it
    return [name for name in names if name not in NOT_MEASURES]


def read_averages(
    source: ModelSource, measures: Sequence[str], fields: PromptFields, scale: float
) -> dict[str, dict[Cell, float]]:
    """Return measure -> cell -> average, each divided by `scale`. Of a file with a column `model` only the model's own.

    A UserError says which row is wrong, such as one that repeats a cell.
    """
    averages: dict[str, dict[Cell, float]] = {name: {} for name in measures}
    models: set[str] = set()
    columns: dict[str, None] = {}
    for number, row in read_lines(source.path):
        if isinstance(row, Problem):
            raise UserError([row])
        place = f"{source.path}:{number}"
        columns |= dict.fromkeys(row)
        models.add(str(row.get("model", source.name)))
        if str(row.get("model", source.name)) != source.name:
            continue
        cell = _cell(row, fields)
        for name in measures:
            value = _number(row, name, place)
            if cell in averages[name]:
                raise UserError(f"a second {name} of {' in '.join(filter(None, cell))}", where=place)
            if value is not None:
                averages[name][cell] = _share(value, name, place, scale)
    if source.name not in models:
        names = ", ".join(sorted(models))
        raise UserError(f"has no model {source.name!r}; it has {names}: write MODEL={source.path}", where=source.path)
    if lacking := [name for name in measures if name not in columns]:
        raise UserError(f"no column {lacking[0]!r}; columns: {', '.join(columns)}", where=source.path)
    if not any(averages.values()):
        raise UserError(f"has no number of {' or '.join(measures)} of {source.name}", where=source.path)
    return averages


def describe_small(averages: Mapping[str, Mapping[Cell, float]]) -> str:
    """Return a note where all averages, read as percent, are so small that they may be shares; else nothing."""
    largest = max((value for cells in averages.values() for value in cells.values()), default=0.0)
    return "no average of it is above 1 percent; if they are shares, --raw reads them so" if largest <= 0.01 else ""


def _share(value: float, name: str, place: str, scale: float) -> float:
    if scale != 1 and not 0 <= value <= scale:
        problem = f"{name} is {value:g}, which is not a percentage; --raw shows numbers as they are"
        raise UserError(problem, where=place)
    return value / scale


def _cell(row: Mapping[str, Any], fields: PromptFields) -> Cell:
    names = TASK_FIELDS if fields.task is None else (fields.task,)
    task = next((str(row[name]) for name in names if name in row), "")
    return Cell(task, str(row.get(fields.language, "")))


def _number(row: Mapping[str, Any], name: str, place: str) -> float | None:
    value = row.get(name)
    if value in ABSENT:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or not isfinite(number):
        raise UserError(f"{name} must be a number, not {kind_of(value)}", where=place)
    return number
