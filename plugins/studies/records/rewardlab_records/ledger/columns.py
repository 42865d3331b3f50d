"""The columns of a ledger's flat table: those that every ledger has, and those that its lines turn out to have."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rewardlab_training import LEDGER_COLUMNS, SCORE_COLUMNS, SOME_HAVE, ColumnType

MAX_FIELDS = 256
"""different fields that get a column each"""
EARLY = 50
"""lines in which a column shows its type early"""
INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of the table: its name and type. path: where its value stands in a line, key by key."""

    name: str
    type: ColumnType
    path: tuple[str, ...]


class ColumnFinder:
    """The columns of a ledger, found by showing it every line; it keeps names and types only.

    late: the numbers, from 0, of the lines in which a column has its first value, unless it is one of the first 50.
    Who reads a CSV or JSON lines looks at no more than the first 100 rows to tell a column's type.
    """

    def __init__(self) -> None:
        self._fields: dict[str, set[ColumnType]] = {}
        self._scores: dict[str, set[str]] = {}
        self._lines = 0
        self._with_value: set[tuple[str, ...]] = set()
        self.late: list[int] = []

    def add(self, line: Mapping[str, Any]) -> None:
        """Take the fields and the components of one line into account."""
        for name, value in line.get("fields", {}).items():
            if name in self._fields or len(self._fields) <= MAX_FIELDS:
                types = self._fields.setdefault(name, set())
                if value is not None:
                    types.add(_type_of(value))
        for name, entry in line["components"].items():
            self._scores.setdefault(name, set()).update(entry)
        new = {path for path in _paths(line) if path not in self._with_value}
        if new and self._lines >= EARLY:
            self.late.append(self._lines)
        self._with_value |= new
        self._lines += 1

    def columns(self) -> list[Column]:
        """Return the columns in their order: the common ones, the fields, the components.

        More than MAX_FIELDS different fields are one column `fields`, of JSON.
        """
        common = [Column(name=name, type=kind, path=(name,)) for name, kind in LEDGER_COLUMNS.items()]
        shown = [column for column in common if column.name not in SOME_HAVE or column.path in self._with_value]
        if len(self._fields) > MAX_FIELDS:
            shown.append(Column(name="fields", type="text", path=("fields",)))
        else:
            shown += [
                Column(name=f"fields.{name}", type=_common_type(types), path=("fields", name))
                for name, types in self._fields.items()
            ]
        for name, keys in self._scores.items():
            shown += [
                Column(name=f"components.{name}.{key}", type=kind, path=("components", name, key))
                for key, kind in SCORE_COLUMNS.items()
                if key in keys
            ]
        return shown


def _paths(line: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the place of each value in a line that gets a cell."""
    yield from ((name,) for name in LEDGER_COLUMNS if line.get(name) is not None)
    yield from (("fields", name) for name, value in line.get("fields", {}).items() if value is not None)
    for name, entry in line["components"].items():
        yield from (("components", name, key) for key, value in entry.items() if value is not None)


def _type_of(value: Any) -> ColumnType:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if value in INT64 else "text"
    return "float" if isinstance(value, float) else "text"


def _common_type(types: set[ColumnType]) -> ColumnType:
    """Return the type that all values fit: whole numbers are numbers, and everything can be written as text."""
    if len(types) == 1:
        return next(iter(types))
    return "float" if types == {"int", "float"} else "text"
