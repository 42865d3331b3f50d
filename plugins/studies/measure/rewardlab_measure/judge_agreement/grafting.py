"""Right and wrong reasoning grafted onto right and wrong answers: three pairs from one scored group.

They show whether a judge sees which reasoning is right, or only which answer. Source: SP3F (Sutawika et al.), table 3.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from rewardlab import Group
from rewardlab.data import BadRows, Identifier, read_lines, to_group
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.text import counted
from rewardlab_answers import last_box
from rewardlab_records.scored_lines import scored_lines

TABLE = ("right+right > wrong+wrong", "right+right > wrong+right", "right+wrong > wrong+wrong")
"""rows 1 to 3: reasoning + answer of the chosen response > those of the rejected one"""


@dataclass(frozen=True, kw_only=True)
class BoxedResponse:
    """A response, cut at its last box. answer: the box's content. reasoning + answer + rest is the whole text."""

    reasoning: str
    answer: str
    rest: str

    def with_answer(self, answer: str) -> str:
        """Return the text with another answer in its last box."""
        return self.reasoning + answer + self.rest


def cut(text: str) -> BoxedResponse | None:
    r"""Cut a response at its last `\boxed{...}`; None if it has none. The reasoning includes the opened box."""
    answer = last_box(text)
    if answer is None:
        return None
    *_, last = re.finditer(r"(\\boxed\s*\{)" + re.escape(answer) + r"\}", text)
    start = last.end(1)
    return BoxedResponse(reasoning=text[:start], answer=answer, rest=text[start + len(answer) :])


def graft(row_id: str, right: Sequence[str], wrong: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return (chosen, rejected) for each row of TABLE; None if no right and wrong response can be combined.

    Responses are ordered by the SHA-256 of the id and the text. The first two are taken that both have a box and
    differ both in its content and in the text around it.
    """

    def ranked(texts: Sequence[str]) -> list[str]:
        return sorted(set(texts), key=lambda text: hashlib.sha256(json.dumps([row_id, text]).encode()).digest())

    for good, poor in product(ranked(right), ranked(wrong)):
        good_cut, poor_cut = cut(good), cut(poor)
        if good_cut is None or poor_cut is None or good_cut.answer.strip() == poor_cut.answer.strip():
            continue
        good_with_wrong = good_cut.with_answer(poor_cut.answer)
        if good_with_wrong != poor:
            return [(good, poor), (good, poor_cut.with_answer(good_cut.answer)), (good_with_wrong, poor)]
    return None


@dataclass(kw_only=True)
class Grafting:
    """The making of pairs from rows and the scores that `score` wrote for them, with counts of the rows.

    Args:
        rows, scored: files.
        fields: the recipe's mapping of columns.
        correctness: the component whose 1 means right and 0 wrong.
        read: rows that were read.
        grafted: those that became pairs.
    """

    rows: str
    scored: str
    correctness: str
    fields: Mapping[str, str] = field(default_factory=dict)
    bad: BadRows = field(default_factory=BadRows)
    read: int = 0
    without_scores: int = 0
    grafted: int = 0

    def pairs(self) -> Iterator[dict[str, Any]]:
        """Yield three rows for each row that allows them: its columns with `chosen`, `rejected` and `kind`.

        A UserError if the scores do not fit the rows. Rows that cannot be read are collected in `bad`.
        """
        right_or_wrong = self._values()
        for row, group in self._groups():
            self.read += 1
            values = right_or_wrong.get(group.sample.id)
            if values is None:
                self.without_scores += 1
                continue
            texts = [completion.text for completion in group.completions]
            if len(values) != len(texts):
                problem = (
                    f"has {counted(len(texts), 'completion')}, but {self.scored} has {len(values)} scores for its id"
                )
                raise UserError(problem, where=group.sample.source)
            yield from self._grafts(row, group.sample.id, texts, values)

    def _groups(self) -> Iterator[tuple[dict[str, Any], Group]]:
        """Yield the good rows, as they are and as groups with ids; the others go into `bad`."""
        identify = Identifier()
        for line, row in read_lines(self.rows):
            source = f"{self.rows}:{line}"
            if isinstance(row, Problem):
                self.bad.add(row)
                continue
            try:
                group = to_group(row, self.fields, source)
                yield row, replace(group, sample=identify(group.sample))
            except ValueError as error:
                self.bad.add(Problem(where=source, what=str(error)))

    def _grafts(
        self, row: Mapping[str, Any], row_id: str, texts: Sequence[str], values: Sequence[float | None]
    ) -> Iterator[dict[str, Any]]:
        right = [text for text, value in zip(texts, values, strict=True) if value == 1]
        wrong = [text for text, value in zip(texts, values, strict=True) if value == 0]
        pairs = graft(row_id, right, wrong)
        if pairs is None:
            return
        self.grafted += 1
        for number, (kind, (chosen, rejected)) in enumerate(zip(TABLE, pairs, strict=True), 1):
            columns = {self._column("id", row): f"{row_id}/{number}", **self._kept(row)}
            yield columns | {"chosen": chosen, "rejected": rejected, self._column("kind", row): kind}

    def _kept(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row's own columns, which the recipe's `fields` map again, without those that pairs have anew."""
        dropped = {"id", "completions", "chosen", "rejected", "kind"}
        dropped |= {self.fields[field] for field in dropped if field in self.fields}
        return {name: value for name, value in row.items() if name not in dropped}

    def _column(self, field: str, row: Mapping[str, Any]) -> str:
        column = self.fields.get(field, field)
        return column if column in row else field

    def _values(self) -> dict[str, list[float | None]]:
        """Return id -> the values of `correctness` (G,). A UserError if `score` did not write the file."""
        values: dict[str, list[float | None]] = {}
        for line, row in scored_lines(self.scored):
            if isinstance(row, Problem):
                raise UserError(row)
            if (column := row["components"].get(self.correctness)) is None:
                problem = f"no component {self.correctness!r}{nearest(self.correctness, row['components'])}"
                raise UserError(problem, where=f"{self.scored}:{line}")
            values[str(row["id"])] = column["value"]
        return values
