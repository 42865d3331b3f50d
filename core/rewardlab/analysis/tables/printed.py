"""Averages that a paper or another tool printed: a file with a row for each task and language, without completions."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from rewardlab.analysis.tables.layout import Cell
from rewardlab.analysis.tables.prompts import TASK_FIELDS, PromptFields
from rewardlab.analysis.tables.sources import ModelSource
from rewardlab.data import read_lines
from rewardlab.data.jsonl import kind_of
from rewardlab.errors import Problem, UserError

ABSENT = (None, "", "-", "N/A")
"""what stands in a table where there is no number"""
NOT_MEASURES = ("model", "task", "eval_set", "language")


def measure_columns(source: ModelSource) -> list[str]:
    """Return the columns of a file of averages that are measures."""
    _, row = next(read_lines(source.path))
    return [] if isinstance(row, Problem) else [name for name in row if name not in NOT_MEASURES]


def read_averages(
    source: ModelSource, measures: Sequence[str], fields: PromptFields, scale: float
) -> dict[str, dict[Cell, float]]:
    """Return measure -> cell -> average, each divided by `scale`. Of a file with a column `model` only the model's own.

    A UserError says which row is wrong, such as one that repeats a cell.
    """
    found: dict[str, dict[Cell, float]] = {name: {} for name in measures}
    models: set[str] = set()
    for number, row in read_lines(source.path):
        if isinstance(row, Problem):
            raise UserError([row])
        place = f"{source.path}:{number}"
        models.add(str(row.get("model", source.name)))
        if str(row.get("model", source.name)) != source.name:
            continue
        cell = _cell(row, fields)
        for name in measures:
            value = _number(row, name, place)
            if cell in found[name]:
                raise UserError(f"a second {name} of {' in '.join(filter(None, cell))}", where=place)
            if value is not None:
                found[name][cell] = value / scale
    if source.name not in models:
        told = ", ".join(sorted(models))
        raise UserError(f"has no model {source.name!r}; it has {told}: write MODEL={source.path}", where=source.path)
    return found


def _cell(row: Mapping[str, Any], fields: PromptFields) -> Cell:
    names = TASK_FIELDS if fields.task is None else (fields.task,)
    task = next((str(row[name]) for name in names if name in row), "")
    return Cell(task, str(row.get(fields.language, "")))


def _number(row: Mapping[str, Any], name: str, place: str) -> float | None:
    if name not in row:
        raise UserError(f"no column {name!r}; columns: {', '.join(row)}", where=place)
    value = row[name]
    if value in ABSENT:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or not isfinite(number):
        raise UserError(f"{name} must be a number, not {kind_of(value)}", where=place)
    return number
