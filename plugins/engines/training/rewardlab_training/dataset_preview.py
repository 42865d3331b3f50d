"""A check of the first rows of each dataset: do they have the fields that the stages and rewards need?"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any

from rewardlab import Context, Sample
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Component, Plan
from rewardlab.recipe import DataStage, EvalStage, RecipePath, RlStage

from rewardlab_training.column_names import field_named, swapped_fields
from rewardlab_training.datasets import has_free_rows, is_held_out, read_dataset
from rewardlab_training.prompt_checks import prompt_findings
from rewardlab_training.row_counts import paths_in
from rewardlab_training.stage_datasets import evaluation_dataset_places, stage_dataset_place, validation_dataset

ROWS = 2000
CAUTION_ROWS = 1000
"""rows of a dataset that rewards are asked about for doubts: they may take milliseconds each"""
SHOWN, MAX_SHOWN, MAX_COLUMNS = 3, 100, 20
STAGE_FIELDS = {"sft": ("response",), "dpo": ("chosen", "rejected")}
SCORED = ("rl", "eval", "score")


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A reader of a dataset: a stage at `path`, its evaluation, a data step, or `score` for a recipe without stages.

    Args:
        held_out: True for only the held-out rows, False for only the others, None for all.
    """

    use: str
    name: str
    path: RecipePath
    held_out: bool | None

    def rows(self, rows: Sequence[Sample], holdout: float) -> list[Sample]:
        """Return the rows of `rows` that this reader gets, at a held-out share of `holdout`."""
        return [row for row in rows if self.held_out in (None, is_held_out(row, holdout))]


def preview(plan: Plan, most: int | None = ROWS) -> tuple[list[str], list[Problem]]:
    """Return (warnings, problems) of the recipe's datasets, from their first `most` rows (None: all)."""
    warnings: list[str] = []
    problems: list[Problem] = []
    for path, planned in plan.datasets.items():
        # a step may cost money, and a remote dataset is fetched only when it is needed
        if not has_free_rows(planned) or _is_made_by_stage(plan, planned):
            continue
        try:
            rows = list(islice(read_dataset(planned, Context(seed=plan.recipe.seed)), most))
        except UserError as error:
            where = plan.document.where(path)
            problems += [Problem(where=where, what=str(problem), path=path) for problem in error.problems]
            continue
        warnings += _swapped(plan, path, planned.use.fields, rows)
        read_by = {reader: reader.rows(rows, planned.use.holdout) for reader in _readers(plan, path)}
        problems += _missing_fields(plan, path, read_by)
        problems += _useless_rows(plan, read_by)
        problems += _refused_rows(plan, read_by)
        if most is None or len(rows) < most:
            problems += _without_rows(plan, path, read_by)
        scored = {row.id: row for reader, samples in read_by.items() if reader.use in SCORED for row in samples}
        warnings += [
            f"{plan.document.where(path)}: {prompt_finding}"
            for prompt_finding in prompt_findings(list(scored.values())[:ROWS])
        ]
        trained = {row.id for reader, samples in read_by.items() if reader.use != "eval" for row in samples}
        for name, problem, fatal in _abstentions(plan, list(scored.values()), trained):
            place = ("reward", "components", name)
            where = plan.document.where(place)
            problems += [Problem(where=where, what=problem, path=place)] if fatal else []
            warnings += [] if fatal else [f"{where}: {problem}"]
        for name, problem in _doubts(plan, list(scored.values())[:CAUTION_ROWS]):
            warnings.append(f"{plan.document.where(('reward', 'components', name))}: {problem}")
    return warnings, problems


def _swapped(plan: Plan, path: RecipePath, fields: Mapping[str, str], rows: Sequence[Sample]) -> Iterator[str]:
    """Yield a warning for each pair of fields that seem to stand for each other."""
    for field, other, why in swapped_fields(rows, fields):
        mapped = {**{field: field, other: other}, **fields}
        cure = f"fields: {{{field}: {mapped[other]}, {other}: {mapped[field]}}}"
        yield f"{plan.document.where((*path, 'fields'))}: are {field} and {other} swapped? {why}; if so, write {cure}"


def _readers(plan: Plan, path: RecipePath) -> Iterator[Reader]:
    """Yield the readers of the dataset that the recipe describes at `path`."""
    if path[0] != "dataset" and (above := _step_above(plan.datasets, path)) is not None:
        yield Reader(use="step", name=plan.datasets[above].use.use, path=above, held_out=None)
        return
    if not plan.document.tree.get("stages"):
        yield Reader(use="score", name="the reward", path=("reward",), held_out=None)
    for index, stage in enumerate(plan.recipe.stages):
        place: RecipePath = ("stages", index)
        evaluates = isinstance(stage, RlStage) and stage.evaluation is not None
        if not isinstance(stage, DataStage | EvalStage) and stage_dataset_place(plan, index) == path:
            yield Reader(use=stage.use, name=f"stage {index} ({stage.use})", path=place, held_out=False)
        if getattr(stage, "validation", None) is not None:
            validated, only_held_out = validation_dataset(plan, index)
            if validated == path:
                place = (*place, "validation")
                yield Reader(use="eval", name=f"stage {index} (validation)", path=place, held_out=only_held_out or None)
                place = place[:-1]
        if isinstance(stage, EvalStage) or evaluates:
            place = (*place, "eval") if evaluates else place
            for evaluated, only_held_out in evaluation_dataset_places(plan, index).values():
                if evaluated == path:
                    yield Reader(use="eval", name=f"stage {index} (eval)", path=place, held_out=only_held_out or None)


def _missing_fields(plan: Plan, path: RecipePath, read_by: dict[Reader, list[Sample]]) -> Iterator[Problem]:
    """Yield a problem for each needed field that rows lack, once for all readers."""
    reported = set()
    for reader, rows in read_by.items():
        for wanted, by in _needed_fields(plan, reader).items():
            lacking = [row for row in rows if row.fields.get(wanted) is None]
            if not lacking or wanted in reported:
                continue
            reported.add(wanted)
            often = f"{len(lacking)} of {len(rows)} rows lack it, first {lacking[0].source or lacking[0].id}"
            often = "no row has it" if len(lacking) == len(rows) else often
            hint = _named_column(wanted, plan.datasets[path].use.fields, rows[0])
            problem = f"field {wanted!r} is needed by {by}, but {often}; {hint}"
            yield Problem(where=plan.document.where(path), what=problem, path=path)


def _useless_rows(plan: Plan, read_by: dict[Reader, list[Sample]]) -> Iterator[Problem]:
    """Yield a problem for each reason for which a data step can make nothing of rows, with the first of them."""
    for reader, rows in read_by.items():
        step = plan.datasets.get(reader.path)
        if reader.use != "step" or step is None or step.spec.abstains is None or _awaits_stage(plan, step):
            continue
        samples: dict[str, list[Sample]] = {}
        for row in rows:
            if reason := step.ask("which rows it cannot use", step.spec.abstains, step.options, row):
                samples.setdefault(reason, []).append(row)
        for reason, unusable in samples.items():
            problem = f"{reader.name} can make nothing of {len(unusable)} of {len(rows)} rows: {reason}"
            where = f"first {unusable[0].source or unusable[0].id}"
            yield Problem(where=plan.document.where(reader.path), what=f"{problem} ({where})", path=reader.path)


def _refused_rows(plan: Plan, read_by: dict[Reader, list[Sample]]) -> Iterator[Problem]:
    """Yield a problem for each reason for which a reward cannot use rows, with the first of them."""
    needs, refused = plan.row_needs, dict[tuple[str, str], list[Sample]]()
    scored = {row.id: row for reader, rows in read_by.items() if reader.use in SCORED for row in rows}
    for row in scored.values():
        if not any(needs.lacking(row)):
            for name, reason in needs.refusals(row):
                refused.setdefault((name, reason), []).append(row)
    for (name, reason), rows in refused.items():
        path = ("reward", "components", name)
        problem = f"cannot use {len(rows)} of {len(scored)} rows: {reason} (first {rows[0].source or rows[0].id})"
        yield Problem(where=plan.document.where(path), what=problem, path=path)


def _needed_fields(plan: Plan, reader: Reader) -> dict[str, str]:
    """Return the fields that a reader's rows must have: field -> who needs it."""
    needed = dict.fromkeys(STAGE_FIELDS.get(reader.use, ()), reader.name)
    if reader.use == "step":
        step = plan.datasets[reader.path]
        needed |= dict.fromkeys(step.ask("what it requires", step.spec.required_fields, step.options), reader.name)
    if reader.use in SCORED:
        needed |= plan.row_needs.fields
    return needed


def _named_column(wanted: str, fields: Mapping[str, str], row: Sample) -> str:
    """Return how to name the column of a field: the nearest one by its name, and those that the file has."""
    renamed = {field for field, column in fields.items() if field != column}
    columns = sorted({*row.fields} - renamed | {fields.get("prompt", "prompt")})
    meant = [column for column in columns if field_named(column) == wanted]
    near = get_close_matches(fields.get(wanted, wanted), columns, n=1)
    column = (meant or near or ["COLUMN"])[0]
    column = column if column.isidentifier() else json.dumps(column, ensure_ascii=False)
    more = ", ..." if len(columns) > MAX_COLUMNS else ""
    return f"name its column, `fields: {{{wanted}: {column}}}`; columns: {', '.join(columns[:MAX_COLUMNS])}{more}"


def _without_rows(plan: Plan, path: RecipePath, read_by: dict[Reader, list[Sample]]) -> Iterator[Problem]:
    """Yield a problem for each reader that gets no row; only meaningful if `read_by` holds all rows."""
    use, setting = plan.datasets[path].use.use, ".".join(map(str, (*path, "holdout")))
    for reader in (reader for reader, rows in read_by.items() if not rows):
        problem = f"every row of {use} is held out, none is left to train on; lower {setting}"
        if reader.held_out:
            problem = (
                f"no row of {use} is held out; set {setting} (such as 0.1), or give the evaluation a dataset of its own"
            )
        yield Problem(where=plan.document.where(reader.path), what=problem, path=reader.path)


def _abstentions(plan: Plan, rows: list[Sample], trained: Set[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield (component, message, whether the job would fail) for each reward that gives some rows no value.

    Args:
        trained: the ids of the rows that are not of evaluations alone.
    """
    needs, in_training = plan.row_needs, plan.training_row_needs
    reasons: dict[str, Counter[str]] = {}
    ends: set[str] = set()
    for row in rows:
        for name, reason in needs.abstentions(row, fatal_only=False):
            reasons.setdefault(name, Counter())[reason] += 1
            ends |= {name} & (in_training if row.id in trained else needs).fatal
    for name, rows_of in reasons.items():
        if _awaits_stage(plan, plan.components[name]):
            continue
        listed = "; ".join(f"{reason} ({n} of {len(rows)} rows)" for reason, n in sorted(rows_of.items()))
        fatal = name in ends
        hint = "; set on_abstain to a number, or leave these rows out" if fatal else ""
        yield name, f"will abstain: {listed}{hint}", fatal


def _doubts(plan: Plan, rows: Sequence[Sample]) -> Iterator[tuple[str, str]]:
    """Yield (component, message) for each kind of doubt that a reward has about rows: how many, and the first three."""
    shown: dict[tuple[str, str], list[str]] = {}
    needs = plan.row_needs
    for row in rows if needs.cautions else ():
        for name, doubt, text in needs.doubts(row):
            shown.setdefault((name, doubt), []).append(f"{' '.join(text.split())[:MAX_SHOWN]} ({row.source or row.id})")
    for (name, doubt), shown_texts in shown.items():
        more = ", ..." if len(shown_texts) > SHOWN else ""
        yield name, f"{doubt}: {len(shown_texts)} of {len(rows)} rows: {', '.join(shown_texts[:SHOWN])}{more}"


def _is_made_by_stage(plan: Plan, planned: Component) -> bool:
    """Return True if a `data` stage of this recipe writes the file, or one of the files, that this dataset reads."""
    read = set(paths_in(planned.options.model_dump()))
    return any(isinstance(stage, DataStage) and stage.to in read for stage in plan.recipe.stages)


def _awaits_stage(plan: Plan, component: Component) -> bool:
    """Return whether a `data` stage of this recipe writes a file that the component needs, and so may change it."""
    if component.spec.needs_files is None:
        return False
    needed = component.ask("which files it needs", component.spec.needs_files, component.options)
    return any(isinstance(stage, DataStage) and stage.to in needed for stage in plan.recipe.stages)


def _step_above(datasets: Mapping[RecipePath, Any], place: RecipePath) -> RecipePath | None:
    """Return the place of the dataset that starts from the one at `place`; None if no dataset does."""
    above = next((place[:end] for end in (-1, -2) if place[end] == "from"), None)
    return above if above in datasets else None
