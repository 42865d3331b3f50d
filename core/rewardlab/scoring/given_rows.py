"""Rows that a program or a file gives: each is checked and becomes a group, or it is said why it cannot be scored."""

import os
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewardlab.data import BadRows, Identifier, kind_of, read_lines, to_group
from rewardlab.data.plain_values import plain_row
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan
from rewardlab.types import Completion, Group, Sample


@dataclass(frozen=True, kw_only=True, slots=True)
class InputRow:
    """A good row of the input. given_id: the id as the file has it, or the derived one if it has none."""

    given_id: int | str
    group: Group


class RowCheck:
    """The check of rows against a plan: the fields and token counts that they need, and who would abstain on them.

    trained: whether groups are left out by their outcome, as in `score`; an evaluation leaves none out.
    """

    def __init__(self, plan: Plan, trained: bool = False) -> None:
        self.fields: Mapping[str, str] = plan.recipe.columns
        self.abstentions: dict[str, Counter[str]] = {}
        self._needs = plan.training_row_needs if trained else plan.row_needs
        self._completion_needs = [(p.use.use, "token_count") for p in plan.normalizers if p.spec.needs_tokens]
        rewards = [(p.use.use, p.spec) for name, p in plan.components.items() if name in self._needs.fatal]
        self._completion_needs += [(use, need) for use, spec in rewards for need in spec.completion_needs]

    def group(self, row: Mapping[str, Any], source: str) -> Group:
        """Return the row as a group, whose sample may have no id yet. ValueError with everything that is wrong."""
        group = to_group(row, self.fields, source)
        lacks = self._needs.lacks(group.sample, self.fields)
        if problems := [*lacks, *self._lacking(group.completions), *self._silent(group.sample)]:
            raise ValueError("; ".join(problems))
        return group

    def given_id(self, row: Mapping[str, Any]) -> int | str | None:
        """Return the id as the row has it; None if it has none."""
        column = self.fields.get("id", "id")
        return row[column] if column in row else row.get("id")

    def _lacking(self, completions: Sequence[Completion]) -> Iterator[str]:
        for use, need in self._completion_needs:
            if lacking := [at for at, c in enumerate(completions) if not c.failure and getattr(c, need) in (None, ())]:
                yield f"completions[{lacking[0]}].{need} is needed by {use}"

    def _silent(self, sample: Sample) -> Iterator[str]:
        for name, reason in self._needs.abstentions(sample):
            self.abstentions.setdefault(name, Counter())[reason] += 1
            yield f"{name} ({self._needs.uses[name]}) will abstain: {reason}"


Rows = Iterable[Any] | str | os.PathLike[str]
"""rows as `rewardlab score` reads them, {"prompt", "completions", ...fields}: dicts, a table of pandas, polars or
datasets, or the path of a file of them"""


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
        raise bad.error(_name(rows), "fix them; nothing was scored")
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
    return ((f"rows[{index}]", row) for index, row in enumerate(as_dicts(rows)))


def as_dicts(rows: Any) -> Iterator[Any]:
    """Yield what a program hands over row by row; arrays in a row as lists, and what a table lacks as absent.

    Of pandas, polars and datasets no library is imported: a table is recognised by what it can do. Raises a UserError
    for what is not an iterable of rows, but can be taken for one.
    """
    if hasattr(rows, "iter_rows"):  # polars
        return map(_table_row, rows.iter_rows(named=True))
    if hasattr(rows, "itertuples"):  # pandas
        names = list(rows.columns)
        return (_table_row(dict(zip(names, cells, strict=True))) for cells in rows.itertuples(index=False, name=None))
    if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
        raise UserError(f"a list of dicts, a data frame, or the path of a file, not {kind_of(rows)}", where="rows")
    return map(_without_arrays, rows)


def _table_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    plain = dict[str, Any]()
    for name, value in row.items():
        try:
            plain |= plain_row({name: value})
        except ValueError:  # a picture, say: whoever reads the column says where it is, and what is wrong with it
            plain[name] = value
    return plain


def _without_arrays(row: Any) -> Any:
    if not isinstance(row, Mapping) or not any(hasattr(value, "tolist") for value in row.values()):
        return row
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in row.items()}


def _name(rows: Rows) -> str:
    return os.fspath(rows) if isinstance(rows, (str, os.PathLike)) else "rows"
