"""Rows that a program hands over, or the path of a file of them, as the groups to score."""

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rewardlab.data import BadRows, Identifier, kind_of, read_lines
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan
from rewardlab.scoring.row_check import InputRow, RowCheck

Rows = Iterable[Mapping[str, Any]] | str | os.PathLike[str]
"""rows as `rewardlab score` reads them, {"prompt", "completions", ...fields}, or the path of a file of them"""


def rows_one_by_one(rows: Rows, plan: Plan) -> Generator[InputRow | Problem]:
    """Yield each row as a group with an id, or what is wrong with it, as they are read."""
    check, identify = RowCheck(plan), Identifier()
    for place, row in _placed(rows):
        try:
            if isinstance(row, Problem):
                yield row
                continue
            if not isinstance(row, Mapping):
                raise ValueError(f'a row is a dict {{"prompt", "completions", ...}}, not {kind_of(row)}')
            group = check.group(row, place)
            given = check.given_id(row)
            group = replace(group, sample=identify(group.sample))
        except ValueError as error:
            yield Problem(where=place, what=str(error))
        else:
            yield InputRow(given_id=group.sample.id if given is None else given, group=group)


def all_rows(rows: Rows, plan: Plan) -> list[InputRow]:
    """Return all rows as groups, or raise a UserError that lists what is wrong with them."""
    good, bad = sorted_rows(rows_one_by_one(rows, plan))
    if bad.count:
        raise bad.error(_name(rows), "mend them; nothing was scored")
    return good


def sorted_rows(rows: Iterable[InputRow | Problem]) -> tuple[list[InputRow], BadRows]:
    """Return (the good rows, what is wrong with the others)."""
    good, bad = [], BadRows()
    for row in rows:
        if isinstance(row, Problem):
            bad.add(row)
        else:
            good.append(row)
    return good, bad


def _placed(rows: Rows) -> Iterator[tuple[str, Any]]:
    if isinstance(rows, (str, os.PathLike)):
        return ((f"{os.fspath(rows)}:{line}", row) for line, row in read_lines(rows))
    refuse_no_rows(rows)
    return ((f"rows[{index}]", row) for index, row in enumerate(rows))


def refuse_no_rows(rows: Any) -> None:
    """Raise a UserError for what is no iterable of rows, but can be taken for one."""
    if isinstance(rows, Mapping) or hasattr(rows, "columns"):
        what = "give a list of rows; of a data frame, frame.to_dict('records') (pandas) or frame.to_dicts() (polars)"
        raise UserError(what, where="rows")
    if not isinstance(rows, Iterable):
        raise UserError(f"a list of dicts, or the path of a file of them, not {kind_of(rows)}", where="rows")


def _name(rows: Rows) -> str:
    return os.fspath(rows) if isinstance(rows, (str, os.PathLike)) else "rows"
