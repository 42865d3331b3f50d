"""The rows to probe with: each with an honest completion, evenly over the languages."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice

from rewardlab.datasets import is_held_out, read_dataset
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.lines import BadRows, read_lines
from rewardlab.plan import Plan
from rewardlab.probing.degenerate import HonestRow
from rewardlab.results import spread
from rewardlab.rows import Identifier, to_completions, to_sample
from rewardlab.specs import Context
from rewardlab.types import Completion, Sample

HONEST, COMPLETIONS, RESPONSE = "honest", "completions", "response"
MOST_READ = 20_000
"""Rows of a dataset that are looked at."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What makes a row fit: the plan that scores it, the columns of its honest completion and its reference.

    honest: None for the first of `honest`, `completions[0]`, `response`, and in an English row the reference.
    """

    plan: Plan
    honest: str | None = None
    reference: str = "reference"

    def row(self, sample: Sample) -> HonestRow:
        """A ValueError says all that is wrong with it."""
        reference = sample.fields.get(self.reference)
        reference = reference if isinstance(reference, str) and reference.strip() else None
        row = HonestRow(sample=_without_completions(sample), honest="", reference=reference)
        problems = [*self._lacking(row.sample), *self._silent(row.sample)]
        try:
            honest = self._honest(sample, row)
        except ValueError as error:
            problems.append(str(error))
        if problems:
            raise ValueError("; ".join(problems))
        return replace(row, honest=honest.text, token_count=honest.token_count)

    def _honest(self, sample: Sample, row: HonestRow) -> Completion:
        if self.honest is not None:
            return _completion(sample, self.honest)
        for column in (HONEST, COMPLETIONS, RESPONSE):
            if sample.fields.get(column) is not None:
                return _completion(sample, column)
        if row.is_english and row.reference is not None:
            return Completion(text=row.reference)
        columns = _texts(sample)
        what = f"a good response in the row's own language, in a column {RESPONSE!r} or one named with --honest"
        raise ValueError(f"no honest completion: {what}{nearest(RESPONSE, columns)}")

    def _lacking(self, sample: Sample) -> Iterator[str]:
        for wanted, names in self.plan.required_fields.items():
            if sample.fields.get(wanted) is None:
                yield f"field {wanted!r} is needed by {', '.join(names)}; the row has none"

    def _silent(self, sample: Sample) -> Iterator[str]:
        """Components that will say nothing of the row, where the recipe lets that fail."""
        in_total = self.plan.expression.names if self.plan.expression else ()
        for name in in_total:
            planned = self.plan.components[name]
            if planned.spec.abstains is None or planned.use.on_abstain != "fail":
                continue
            reason = planned.ask("whether it abstains", planned.spec.abstains, planned.options, sample)
            if reason:
                yield f"{name} ({planned.use.use}) will abstain: {reason}"


@dataclass
class Found:
    """The rows that fit, and what is wrong with the others."""

    rows: list[HonestRow] = field(default_factory=list)
    bad: BadRows = field(default_factory=BadRows)
    place: str = ""


def read_rows(path: str, wanted: Wanted) -> Found:
    """The rows of a file."""
    found, identify = Found(place=path), Identifier()
    fields = wanted.plan.recipe.dataset.fields if wanted.plan.recipe.dataset else {}
    with closing(read_lines(path)) as lines:
        for number, row in lines:
            place = f"{path}:{number}"
            try:
                if isinstance(row, Problem):
                    found.bad.add(row)
                else:
                    found.rows.append(wanted.row(identify(to_sample(row, fields, place))))
            except ValueError as error:
                found.bad.add(Problem(where=place, what=str(error)))
    return found


def dataset_rows(wanted: Wanted) -> Found:
    """Those of the recipe's dataset that never train; all, where none is held out."""
    plan = wanted.plan
    planned = plan.datasets.get(("dataset",))
    if planned is None:
        raise UserError("the recipe has no dataset; name a file: rewardlab probe RECIPE ROWS.jsonl")
    if planned.spec.step:
        raise UserError(f"{planned.use.use} makes its rows and may cost money; name a file with rows")
    found = Found(place=plan.document.where(("dataset",)))
    rows = list(islice(read_dataset(planned, Context(seed=plan.recipe.seed)), MOST_READ))
    held_out = [row for row in rows if is_held_out(row, planned.use.holdout)]
    for sample in held_out or rows:
        try:
            found.rows.append(wanted.row(sample))
        except ValueError as error:
            found.bad.add(Problem(where=sample.source or sample.id, what=str(error)))
    return found


def chosen(rows: Sequence[HonestRow], most: int) -> list[HonestRow]:
    """At most `most` rows, in turn from each language, in the order of the rows."""
    by_id = {row.sample.id: row for row in rows}
    return [by_id[sample.id] for sample in spread([row.sample for row in rows], most, ["language"])]


def _without_completions(sample: Sample) -> Sample:
    """As `score` has it: completions are no field of a sample."""
    fields = {name: value for name, value in sample.fields.items() if name != COMPLETIONS}
    return replace(sample, fields=fields)


def _completion(sample: Sample, column: str) -> Completion:
    """The text of a column; the first one where it holds completions."""
    value = sample.fields.get(column)
    if value is None:
        raise ValueError(f"no column {column!r} for the honest completion{nearest(column, _texts(sample))}")
    completion = to_completions(value)[0] if isinstance(value, list) else None
    text = value if completion is None else completion.text
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"the honest completion in {column!r} must be a text that is not blank")
    return completion or Completion(text=text)


def _texts(sample: Sample) -> Iterable[str]:
    return [name for name, value in sample.fields.items() if isinstance(value, str)]
