"""The check that a row is one that `score` wrote Errors name the column that is wrong."""

import math
from collections.abc import Mapping
from typing import Any

from rewardlab.data import kind_of


def check_output(row: Mapping[str, Any]) -> None:
    """Raise a ValueError if this is not a row that `score` wrote."""
    if type(row.get("id")) not in (int, str):
        raise ValueError(
            f"the id must be a whole number or a text, not {kind_of(row['id'])}" if "id" in row else "no id"
        )
    size = len(check_numbers(row.get("total"), "total"))
    if not size:
        raise ValueError("total is empty")
    shaped = check_numbers(row.get("shaped"), "shaped")
    if None in shaped:
        raise ValueError("shaped holds null")
    components = row_components(row)
    columns = {
        f"components.{name}.value": check_numbers(entry.get("value"), name) for name, entry in components.items()
    }
    columns |= {f"components.{name}.error": _list(entry.get("error"), name) for name, entry in components.items()}
    for what, column in {"shaped": shaped, **columns}.items():
        if len(column) != size:
            raise ValueError(f"{what} has {len(column)} entries for {size} totals")


def row_components(row: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return a row's components, name -> columns; ValueError if they are not an object of objects."""
    components = row.get("components")
    if not isinstance(components, Mapping) or not all(isinstance(entry, Mapping) for entry in components.values()):
        raise ValueError("components must be an object of objects")
    return components


def check_numbers(column: Any, what: str) -> list[float | None]:
    """Return the column. Raises ValueError if it is not a list of finite numbers and nulls."""
    values = _list(column, what)
    for value in values:
        if value is not None and not _is_number(value):
            raise ValueError(f"{what}: expected a number or null, found {kind_of(value)}")
    return values


def _is_number(value: Any) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _list(column: Any, what: str) -> list[Any]:
    if not isinstance(column, list):
        raise ValueError(f"{what} must be a list, not {kind_of(column)}")
    return column
