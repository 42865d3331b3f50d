"""The rows that `score` reads: all checked before anything is paid for, then read again to be scored."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rewardlab.errors import JobError, Problem, one_line
from rewardlab.lines import BadRows, read_lines
from rewardlab.plan import Plan
from rewardlab.rows import prompt_hash, sample_id, to_group
from rewardlab.scorefile.index import RowIndex
from rewardlab.types import Group, Sample

LISTED_REASONS = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A good row. `given_id` is the id as the file has it, or the one made where it has none."""

    given_id: int | str
    group: Group


class RowCheck:
    """What a plan asks of a row."""

    def __init__(self, plan: Plan):
        self.fields: Mapping[str, str] = plan.recipe.dataset.fields if plan.recipe.dataset else {}
        self.abstentions: dict[str, Counter[str]] = {}
        self._required = {
            wanted: ", ".join(f"{name} ({plan.components[name].use.use})" for name in names)
            for wanted, names in plan.required_fields.items()
        }
        in_total = plan.expression.names if plan.expression else ()
        self._abstaining = {
            name: planned
            for name, planned in plan.components.items()
            if planned.spec.abstains and planned.use.on_abstain == "fail" and name in in_total
        }
        self._counting = [planned.use.use for planned in plan.normalizers if planned.spec.needs_tokens]

    def group(self, row: Mapping[str, Any], source: str) -> Group:
        """The row as a group whose sample may have no id yet. A ValueError says all that is wrong."""
        group = to_group(row, self.fields, source)
        if problems := [*self._lacking(group.sample), *self._uncounted(group), *self._silent(group.sample)]:
            raise ValueError("; ".join(problems))
        return group

    def given_id(self, row: Mapping[str, Any]) -> int | str | None:
        """The id as the row has it; None where it has none."""
        theirs = self.fields.get("id", "id")
        return row[theirs] if theirs in row else row.get("id")

    def _lacking(self, sample: Sample) -> Iterator[str]:
        for wanted, readers in self._required.items():
            if sample.fields.get(wanted) is None:
                found = "it is null" if wanted in sample.fields else "the row has none"
                hint = (
                    "" if wanted in self.fields else f"; map its column with `dataset: fields: {{{wanted}: <column>}}`"
                )
                yield f"field {wanted!r} is needed by {readers}, but {found}{hint}"

    def _uncounted(self, group: Group) -> Iterator[str]:
        uncounted = [index for index, c in enumerate(group.completions) if c.token_count is None]
        if self._counting and uncounted:
            yield f"completions[{uncounted[0]}].token_count is needed by {', '.join(self._counting)}"

    def _silent(self, sample: Sample) -> Iterator[str]:
        for name, planned in self._abstaining.items():
            try:
                reason = planned.spec.abstains(planned.options, sample)
            except Exception as error:  # the one place where an exception in `abstains` gets its name
                what = f"component {name!r} ({planned.use.use}) on {sample.source}: abstains: {one_line(error)}"
                raise JobError(what) from error
            if reason:
                self.abstentions.setdefault(name, Counter())[reason] += 1
                yield f"{name} ({planned.use.use}) will abstain: {reason}"


class Check(Protocol):
    """Reads a row as a group, whose sample may have no id yet, and finds its id in the file; see `RowCheck`."""

    def group(self, row: Mapping[str, Any], source: str) -> Group: ...

    def given_id(self, row: Mapping[str, Any]) -> int | str | None: ...


Fits = Callable[[str, Group], str | None]
"""(the row's id, its group) -> what is wrong with a row that can be read; None where nothing is"""


def check_rows(
    path: str, check: Check, index: RowIndex, seen: Callable[[], Any], fits: Fits = lambda row_id, group: None
) -> BadRows:
    """Read all rows once, streaming; the good ones go into `index`. `seen` is called for each row."""
    bad = BadRows()
    for line, row in read_lines(path):
        seen()
        problem = row if isinstance(row, Problem) else _problem(row, path, line, check, index, fits)
        if problem is not None:
            bad.add(problem)
    return bad


def _problem(row: Mapping[str, Any], path: str, line: int, check: Check, index: RowIndex, fits: Fits) -> Problem | None:
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
        return Problem(where=source, what=f"the id {row_id!r} is already that of {path}:{earlier}")
    return None


def rows_to_score(path: str, check: Check, index: RowIndex) -> Generator[Row]:
    """The good rows that have no scores yet, in order. A JobError where the file is not what was checked."""
    lines = read_lines(path)
    for line, row_id, placed in index.rows():
        row = next((row for number, row in lines if number == line), None)
        if not placed:
            yield _row(row, row_id, f"{path}:{line}", check)


def _row(row: Any, row_id: str, source: str, check: Check) -> Row:
    try:
        if not isinstance(row, Mapping):
            raise ValueError("this row cannot be read any more")
        group = check.group(row, source)
        found = group.sample.id or f"{prompt_hash(group.sample.prompt)}-{row_id.rpartition('-')[2]}"
        if found != row_id:
            raise ValueError(f"the id was {row_id!r}, is {found!r}")
    except ValueError as error:
        raise JobError(f"{source}: the file changed while it was read: {error}") from error
    given = check.given_id(row)
    group = replace(group, sample=replace(group.sample, id=row_id))
    return Row(given_id=row_id if given is None else given, group=group)


def abstention_problems(plan: Plan, check: RowCheck) -> list[Problem]:
    """For each component that would have failed the job by abstaining: on how many rows, and why."""
    problems = []
    for name, reasons in check.abstentions.items():
        path = ("reward", "components", name)
        most = reasons.most_common(LISTED_REASONS)
        listed = "; ".join(f"{reason} ({times})" for reason, times in most) + (
            "; ..." if len(reasons) > len(most) else ""
        )
        advice = "set on_abstain to a number, or leave these rows out"
        what = f"will abstain on {reasons.total()} rows: {listed}; {advice}"
        problems.append(Problem(where=plan.document.where(path), what=what, path=path))
    return problems
