"""The columns of a benchmark's row: texts, numbers and lists, or what is wrong with them."""

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rewardlab.errors import nearest
from rewardlab_data.benchmark_files import ColumnTemplate

Row = Mapping[str, Any]


def has_column(row: Row, name: str) -> bool:
    """Return whether a row has a column, or one inside others, as in "annotations.toxicity"."""
    inside: Any = row
    if name in row:
        return True
    for key in name.split("."):
        if not isinstance(inside, Mapping) or key not in inside:
            return False
        inside = inside[key]
    return True


def cell(row: Row, name: str) -> Any:
    """Return what a column holds. A ValueError if there is no such column, or nothing in it."""
    if not has_column(row, name):
        raise ValueError(f"no column {name!r}{nearest(name, row)}")
    value: Any = row
    if name in row:
        value = row[name]
    else:
        for key in name.split("."):
            value = value[key]
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError(f"column {name!r} is empty")
    return value


def text_of(row: Row, name: str) -> str:
    """Return the text of a column, a number as it is written. A ValueError if it holds neither."""
    value = cell(row, name)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if not isinstance(value, str | int | float):
        raise ValueError(f"column {name!r} should hold text, not {str(value)[:80]!r}")
    return str(value)


def number_of(row: Row, name: str) -> float:
    """Return the number of a column, also of the text of one. A ValueError if it holds none, or no finite one."""
    text = text_of(row, name)
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"column {name!r} should hold a number, not {text[:80]!r}") from None
    if not math.isfinite(value):
        raise ValueError(f"column {name!r} should hold a finite number, not {text[:80]!r}")
    return value


def texts_of(row: Row, name: str) -> list[str]:
    """Return the texts of a column that holds one or lists several, also in the text of a list."""
    value = cell(row, name)
    if isinstance(value, str):
        return [value]
    return _texts(value, name)


def listed(row: Row, names: str | Sequence[str]) -> list[str]:
    """Return the texts of several columns, empty ones left out, or those that one column lists."""
    if not isinstance(names, str):
        cell(row, names[0])
        return [text_of(row, name) for name in names if row.get(name) not in (None, "")]
    value = cell(row, names)
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)  # some tables have a list as a text
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = value.splitlines()
    return _texts(value, names)


def filled(template: str, row: Row, also: Mapping[str, str] | None = None) -> str:
    """Return a text with its columns filled in. A ValueError names a column that is not there."""
    column_template = ColumnTemplate(template)
    more = also or {}
    texts = {name: text_of(row, name) for name in column_template.get_identifiers() if name not in more}
    return column_template.substitute({**texts, **more})


def filled_tree(value: Any, row: Row) -> Any:
    """Return a tree of mappings and lists with the columns in its texts filled in."""
    if isinstance(value, str):
        return filled(value, row)
    if isinstance(value, Mapping):
        return {key: filled_tree(inside, row) for key, inside in value.items()}
    return [filled_tree(inside, row) for inside in value] if isinstance(value, list | tuple) else value


def columns_in(template: str | None) -> list[str]:
    """Return the columns that a text names as $name."""
    return [] if template is None else ColumnTemplate(template).get_identifiers()


def _texts(value: Any, name: str) -> list[str]:
    if not isinstance(value, Iterable) or isinstance(value, Mapping) or not all(isinstance(v, str) for v in value):
        raise ValueError(f"column {name!r} should list texts, not {str(value)[:80]!r}")
    return list(value)
