"""Rows that both sides can read: all checked before anything is scored, then read again, a window at a time."""

from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from rewardlab import Group, Sample
from rewardlab.data import BadRows, to_group
from rewardlab.errors import Problem
from rewardlab.plan import Plan
from rewardlab.scorefile import RowIndex, rows_to_score
from rewardlab.scoring import RowCheck
from rewardlab.text import counted

from rewardlab_measure.compare.scored_file import ScoredFile


@dataclass(frozen=True, kw_only=True)
class ComparedRow:
    """A row as each side reads it, since each may map columns differently; `group` is what people are shown.

    Args:
        number: counts the compared rows from 1. Without a file of rows the groups have an id and nothing else.
    """

    number: int
    given_id: int | str
    group: Group
    groups: tuple[Group, Group]

    @property
    def sample(self) -> Sample:
        """The sample as people are shown it."""
        return self.group.sample


class PlainCheck:
    """A check of rows that neither side scores: they need a prompt and completions."""

    def group(self, row: Mapping[str, Any], source: str) -> Group:
        """Return the row as a group. A ValueError says what is wrong with it."""
        return to_group(row, {}, source)

    def given_id(self, row: Mapping[str, Any]) -> int | str | None:
        """Return the row's own id; None if it has none."""
        return row.get("id")


class BothChecks:
    """A check of rows by both sides; a side that was scored before (None) needs the row's id and completions."""

    def __init__(self, plans: Sequence[Plan | None], scored: Sequence[ScoredFile | None]) -> None:
        self.of_side = [None if plan is None else RowCheck(plan) for plan in plans]
        asking = [check for check in self.of_side if check is not None]
        self._shown = asking[0] if asking else PlainCheck()
        self._other = asking[1] if len(asking) == 2 else None
        self._scored = [file for file in scored if file is not None]
        self.seen_fields: set[str] = set()

    def readers(self) -> list[RowCheck | PlainCheck]:
        """Return one check for each way in which a row is read, the one that people are shown first."""
        return [self._shown] if self._other is None else [self._shown, self._other]

    def group(self, row: Mapping[str, Any], source: str) -> Group:
        """Return the row as the first reader reads it. A ValueError says what is wrong for either side."""
        groups, wrong = [], []
        for check in self.readers():
            try:
                groups.append(check.group(row, source))
            except ValueError as error:
                wrong.append(str(error))
        if wrong:
            alike = len(set(wrong)) == 1
            raise ValueError(wrong[0] if alike else "; ".join(f"{w} ({s})" for w, s in zip(wrong, "AB", strict=True)))
        shown, other = groups[0], groups[-1]
        if shown.sample.id != other.sample.id:
            raise ValueError(self._read_apart("id"))
        if shown.completions != other.completions:
            raise ValueError(self._read_apart("completions"))
        if not shown.sample.id and shown.sample.prompt != other.sample.prompt:
            raise ValueError("A and B read another prompt in it, so it needs an id")
        self.seen_fields.update(shown.sample.fields)
        return shown

    def _read_apart(self, field: str) -> str:
        """Return the sentence about a part of the row that the recipes read from different columns."""
        a, b = (check.fields.get(field, field) for check in self.of_side if check is not None)
        return (
            f"A reads its {field} from the column {a!r}, B from {b!r}, as their `dataset: fields:` say; let both read "
            f"the same one, such as b:dataset.fields.{field}={a}"
        )

    def given_id(self, row: Mapping[str, Any]) -> int | str | None:
        """Return the row's own id as the first reader reads it; None if it has none."""
        return self._shown.given_id(row)

    def fits(self, row_id: str, group: Group) -> str | None:
        """Return why a row does not fit the scored files; None if it does."""
        wrong = [
            f"{file.path} has no scores for the id {row_id!r}"
            if size is None
            else f"has {counted(len(group.completions), 'completion')}, {file.place(row_id)} has scores for {size}"
            for file in self._scored
            if (size := file.size(row_id)) != len(group.completions)
        ]
        return "; ".join(wrong) or None


def read_again(path: str, checks: BothChecks, index: RowIndex, chosen: "RowSelection") -> Generator[ComparedRow]:
    """Yield the chosen rows in order, each read once for every way of reading it."""
    with ExitStack() as stack:
        readers = [stack.enter_context(closing(rows_to_score(path, check, index))) for check in checks.readers()]
        number = 0
        for position, rows in enumerate(zip(*readers, strict=True)):
            if position in chosen:
                number += 1
                groups = (rows[0].group, rows[-1].group)
                yield ComparedRow(number=number, given_id=rows[0].given_id, group=groups[0], groups=groups)


def rows_of_scored_file(file: ScoredFile, ids: Sequence[str], chosen: "RowSelection") -> Iterator[ComparedRow]:
    """Yield the chosen rows of a comparison without a file of rows: nothing is known of them but their ids."""
    number = 0
    for position, row_id in enumerate(ids):
        if position in chosen:
            number += 1
            group = Group(sample=Sample(id=row_id, source=file.place(row_id)), completions=())
            yield ComparedRow(number=number, given_id=row_id, group=group, groups=(group, group))


@dataclass(frozen=True)
class RowSelection:
    """The positions of the rows to compare: `most` of `size`, evenly over the file; all if `most` is None."""

    size: int
    most: int | None = None

    def __len__(self) -> int:
        return self.size if self.most is None else min(self.size, self.most)

    def __contains__(self, position: int) -> bool:
        count = len(self)
        return position * count % self.size < count


def match_scored_files(a: ScoredFile, b: ScoredFile) -> tuple[list[str], BadRows]:
    """Return (the ids that both files have with as many completions, in A's order; what is wrong with other rows)."""
    bad, ids = BadRows(), []
    for row_id in a.ids():
        if (size := b.size(row_id)) == a.size(row_id):
            ids.append(row_id)
        elif size is not None:
            problem = f"has scores for {a.size(row_id)} completions, {b.place(row_id)} for {size}"
            bad.add(Problem(where=a.place(row_id), what=problem))
    add_unknown(bad, a, b, b.path)
    add_unknown(bad, b, a, a.path)
    return ids, bad


def add_unknown(bad: BadRows, file: ScoredFile, known: Container[str], path: str) -> None:
    """Add to `bad` the rows of a scored file whose ids are not in `known`, the ids of the file `path`."""
    for row_id in file.ids():
        if row_id not in known:
            bad.add(Problem(where=file.place(row_id), what=f"{path} has no row with the id {row_id!r}"))
