"""The rows that `score` reads: all are checked before anything is paid for, then read again to be scored."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from rewardlab.data import BadRows, prompt_hash, read_lines, sample_id
from rewardlab.errors import JobError, Problem
from rewardlab.plan import Plan
from rewardlab.scorefile.index import RowIndex
from rewardlab.scoring.given_rows import InputRow, RowCheck
from rewardlab.text.plural import counted
from rewardlab.types import Group

LISTED_REASONS = 12


class RowReader(Protocol):
    """A reader of rows, such as `RowCheck`: gives each as a group, whose sample may have no id yet, and its own id."""

    def group(self, row: Mapping[str, Any], source: str) -> Group: ...

    def given_id(self, row: Mapping[str, Any]) -> int | str | None: ...


Fits = Callable[[str, Group], str | None]
"""A further check of a readable row: (its id, its group) -> what is wrong with it, or None."""


def check_rows(
    path: str, check: RowReader, index: RowIndex, seen: Callable[[], Any], fits: Fits = lambda row_id, group: None
) -> BadRows:
    """Read all rows once, streaming, and put the good ones into `index`; return the bad ones.

    Args:
        seen: called for each row.
        fits: a further check of each readable row.
    """
    bad = BadRows()
    for line, row in read_lines(path):
        seen()
        problem = row if isinstance(row, Problem) else _problem(row, path, line, check, index, fits)
        if problem is not None:
            bad.add(problem)
    return bad


def _problem(
    row: Mapping[str, Any], path: str, line: int, check: RowReader, index: RowIndex, fits: Fits
) -> Problem | None:
    source = f"{path}:{line}"
    try:
        group = check.group(row, source)
    except ValueError as error:
        return Problem(where=source, what=str(error))
    row_id = group.sample.id
    if not row_id:
        row_id = sample_id(group.sample, index.occurrence(prompt_hash(group.sample.prompt)))
    if why := fits(row_id, group):
        return Problem(where=source, what=why)
    earlier = index.add(line, row_id)
    if earlier is not None:
        return Problem(where=source, what=f"the id {row_id!r} is already used by {path}:{earlier}")
    return None


def rows_to_score(path: str, check: RowReader, index: RowIndex) -> Generator[InputRow]:
    """Yield the good rows that have no scores yet, in order. JobError if the file has changed since the check."""
    lines = read_lines(path)
    for line, row_id, placed in index.rows():
        row = next((row for number, row in lines if number == line), None)
        if not placed:
            yield _row(row, row_id, f"{path}:{line}", check)


def _row(row: Any, row_id: str, source: str, check: RowReader) -> InputRow:
    try:
        if not isinstance(row, Mapping):
            raise ValueError("this row cannot be read any more")
        group = check.group(row, source)
        actual = group.sample.id or f"{prompt_hash(group.sample.prompt)}-{row_id.rpartition('-')[2]}"
        if actual != row_id:
            raise ValueError(f"the id was {row_id!r}, is {actual!r}")
    except ValueError as error:
        raise JobError(f"{source}: the file changed while it was read: {error}") from error
    given = check.given_id(row)
    group = replace(group, sample=replace(group.sample, id=row_id))
    return InputRow(given_id=row_id if given is None else given, group=group)


def abstention_problems(plan: Plan, check: RowCheck) -> list[Problem]:
    """Return a problem for each component that would fail the job by abstaining: on how many rows, and why."""
    problems = []
    for name, reasons in check.abstentions.items():
        path = ("reward", "components", name)
        most = reasons.most_common(LISTED_REASONS)
        listed = "; ".join(f"{reason} ({times})" for reason, times in most) + (
            "; ..." if len(reasons) > len(most) else ""
        )
        advice = "set on_abstain to a number, or leave these rows out"
        problem = f"will abstain on {counted(reasons.total(), 'row')}: {listed}; {advice}"
        problems.append(Problem(where=plan.document.where(path), what=problem, path=path))
    return problems
