"""The lines of a file that `score` wrote, each checked: an error names the column that is wrong."""

import math
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

from rewardlab.data import kind_of, read_lines
from rewardlab.errors import Problem

ADVICE = "name a file that `rewardlab score` wrote to its end"


def scored_lines(path: str | PathLike[str]) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """Yield (line number, the row or what is wrong with it) for each line of a file that `score` wrote.

    Raises UserError, at once, for a file that cannot be opened.
    """
    rows = read_lines(path, any_text=True)
    return ((number, scored_line(row, f"{path}:{number}")) for number, row in rows)


def scored_line(row: dict[str, Any] | Problem, place: str) -> dict[str, Any] | Problem:
    """Return a row that `score` wrote as it is, or the problem that it is another."""
    try:
        if not isinstance(row, Problem):
            _check(row)
    except ValueError as error:
        return Problem(where=place, what=f"this is not a line that `rewardlab score` wrote: {error}")
    return row


def _check(row: Mapping[str, Any]) -> None:
    """Raise a ValueError if this is not a row that `score` wrote."""
    if type(row.get("id")) not in (int, str):
        raise ValueError(
            f"the id must be a whole number or a text, not {kind_of(row['id'])}" if "id" in row else "no id"
        )
    size = len(_check_numbers(row.get("total"), "total"))
    if not size:
        raise ValueError("total is empty")
    shaped = _check_numbers(row.get("shaped"), "shaped")
    if None in shaped:
        raise ValueError("shaped holds null")
    components = row_components(row)
    columns = {
        f"components.{name}.value": _check_numbers(entry.get("value"), name) for name, entry in components.items()
    }
    columns |= {f"components.{name}.error": _list(entry.get("error"), name) for name, entry in components.items()}
    for name, column in {"shaped": shaped, **columns}.items():
        if len(column) != size:
            raise ValueError(f"{name} has {len(column)} entries for {size} totals")


def row_components(row: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return a row's components, name -> columns; ValueError if they are not an object of objects."""
    components = row.get("components")
    if not isinstance(components, Mapping) or not all(isinstance(entry, Mapping) for entry in components.values()):
        raise ValueError("components must be an object of objects")
    return components


def _check_numbers(column: Any, name: str) -> list[float | None]:
    """Return the column. Raises ValueError if it is not a list of finite numbers and nulls."""
    values = _list(column, name)
    for value in values:
        if value is not None and not _is_number(value):
            raise ValueError(f"{name}: expected a number or null, found {kind_of(value)}")
    return values


def _is_number(value: Any) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _list(column: Any, name: str) -> list[Any]:
    if not isinstance(column, list):
        raise ValueError(f"{name} must be a list, not {kind_of(column)}")
    return column
