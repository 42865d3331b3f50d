"""The rows to probe with: each has an honest completion, and languages take turns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from rewardlab import Completion, Context, Sample
from rewardlab.data import BadRows, Identifier, RowNeeds, read_lines, to_completions, to_sample
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.plan import Plan
from rewardlab_training import is_held_out, read_dataset, stratified_sample

from rewardlab_probe.honest_row import HonestRow

HONEST, COMPLETIONS, RESPONSE = "honest", "completions", "response"
ALSO_RIGHT = "also_right"
"""The column of further right completions, which a grader that is a function should pay as well."""
MAX_READ = 20_000
"""Rows of a dataset that are read at most."""


@dataclass(frozen=True, kw_only=True)
class RowRequirements:
    """The requirements that a row must meet: those of the plan that scores it, and an honest completion.

    Args:
        plan: None where a callable scores.
        honest: its column; None for the first of `honest`, `completions[0]`, `response`, and in an English row the
            reference.
        reference: the column of the reference.
    """

    plan: Plan | None = None
    honest: str | None = None
    reference: str = "reference"

    def row(self, sample: Sample) -> HonestRow:
        """Return a sample as a row to probe with. A ValueError says everything that is wrong with it."""
        reference = sample.fields.get(self.reference)
        reference = reference if isinstance(reference, str) and reference.strip() else None
        row = HonestRow(sample=_without_completions(sample), honest="", reference=reference)
        problems = list(self._problems(row.sample))
        try:
            column, honest = self._honest(sample, row)
        except ValueError as error:
            problems.append(str(error))
        if problems:
            raise ValueError("; ".join(problems))
        return replace(
            row,
            honest=honest.text,
            token_count=honest.token_count,
            messages=honest.messages,
            columns=(column, self.reference),
        )

    def _honest(self, sample: Sample, row: HonestRow) -> tuple[str, Completion]:
        """Return the honest completion, and its column."""
        if self.honest is not None:
            return self.honest, _completion(sample, self.honest)
        for column in (HONEST, COMPLETIONS, RESPONSE):
            if sample.fields.get(column) is not None:
                return column, _completion(sample, column)
        if row.is_english and row.reference is not None:
            return self.reference, Completion(text=row.reference)
        columns = _texts(sample)
        problem = f"a good response in the row's own language, in a column {RESPONSE!r} or one named with --honest"
        raise ValueError(f"no honest completion: {problem}{nearest(RESPONSE, columns)}")

    @cached_property
    def _needs(self) -> RowNeeds:
        return RowNeeds() if self.plan is None else self.plan.row_needs

    @property
    def columns(self) -> Mapping[str, str]:
        """What the columns are called: our field -> theirs."""
        return {} if self.plan is None else self.plan.recipe.columns

    def _problems(self, sample: Sample) -> Iterator[str]:
        needs = self._needs
        yield from needs.lacks(sample, self.columns)
        also = sample.fields.get(ALSO_RIGHT) if self.plan is None else None
        if also is not None and not (isinstance(also, list) and all(isinstance(text, str) for text in also)):
            yield f"{ALSO_RIGHT} is no list of texts, each a further completion that deserves everything"
        for name, reason in needs.abstentions(sample):
            yield f"{name} ({needs.uses[name]}) will abstain: {reason}"


@dataclass
class FittingRows:
    """The rows that meet the requirements, and what is wrong with the others. place: the file or dataset."""

    rows: list[HonestRow] = field(default_factory=list)
    bad: BadRows = field(default_factory=BadRows)
    place: str = ""


def read_rows(path: str, requirements: RowRequirements) -> FittingRows:
    """Read the rows of a file."""
    fitting, identify = FittingRows(place=path), Identifier()
    fields = requirements.columns
    with closing(read_lines(path)) as lines:
        for number, row in lines:
            place = f"{path}:{number}"
            try:
                if isinstance(row, Problem):
                    fitting.bad.add(row)
                else:
                    fitting.rows.append(requirements.row(identify(to_sample(row, fields, place))))
            except ValueError as error:
                fitting.bad.add(Problem(where=place, what=str(error)))
    return fitting


def dataset_rows(requirements: RowRequirements) -> FittingRows:
    """Read the rows of the recipe's dataset that are held out from training; all of them if none is held out."""
    plan = requirements.plan
    assert plan is not None
    planned = plan.datasets.get(("dataset",))
    if planned is None:
        raise UserError("the recipe has no dataset; name a file: rewardlab probe RECIPE ROWS.jsonl")
    if planned.spec.step:
        raise UserError(f"{planned.use.use} makes its rows and may cost money; name a file with rows")
    fitting_rows = FittingRows(place=plan.document.where(("dataset",)))
    rows = list(islice(read_dataset(planned, Context(seed=plan.recipe.seed)), MAX_READ))
    held_out = [row for row in rows if is_held_out(row, planned.use.holdout)]
    for sample in held_out or rows:
        try:
            fitting_rows.rows.append(requirements.row(sample))
        except ValueError as error:
            fitting_rows.bad.add(Problem(where=sample.source or sample.id, what=str(error)))
    return fitting_rows


def choose_rows(rows: Sequence[HonestRow], most: int) -> list[HonestRow]:
    """Return at most `most` rows, in turn from each language, in the order of the rows."""
    by_id = {row.sample.id: row for row in rows}
    return [by_id[sample.id] for sample in stratified_sample([row.sample for row in rows], most, ["language"])]


def _without_completions(sample: Sample) -> Sample:
    """Return the sample without its completions, which `score` does not count as a field either."""
    fields = {name: value for name, value in sample.fields.items() if name != COMPLETIONS}
    return replace(sample, fields=fields)


def _completion(sample: Sample, column: str) -> Completion:
    """Return the completion in a column; the first one if it holds a list."""
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
