"""A look at the first rows of each dataset: do they have what the stages and rewards that read them need?"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from rewardlab.datasets import read_dataset
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan, Planned
from rewardlab.recipe import DataStage, RlStage
from rewardlab.specs import Context
from rewardlab.types import Sample
from rewardlab.validation import Path

ROWS = 2000
STAGE_FIELDS = {"sft": ("response",), "dpo": ("chosen", "rejected")}


def preview(plan: Plan, most: int | None = ROWS) -> tuple[list[str], list[Problem]]:
    """(warnings, problems) of the recipe's datasets, from their first `most` rows (None: all)."""
    warnings: list[str] = []
    problems: list[Problem] = []
    for path, planned in plan.datasets.items():
        readers = list(_readers(plan, path))
        if _not_there_yet(plan, planned):
            continue
        try:
            rows = list(islice(read_dataset(planned, Context(seed=plan.recipe.seed)), most))
        except UserError as error:
            where = plan.document.where(path)
            problems += [Problem(where=where, what=str(problem), path=path) for problem in error.problems]
            continue
        problems += _lacking(plan, path, rows, readers)
        if any(use in ("rl", "eval", "score") for use, _ in readers):
            for place, what, fatal in _abstaining(plan, rows):
                problems += [Problem(where=place, what=what)] if fatal else []
                warnings += [] if fatal else [f"{place}: {what}"]
    return warnings, problems


def _readers(plan: Plan, path: Path) -> Iterator[tuple[str, str]]:
    """(what reads the dataset at `path`, its name)."""
    if not plan.recipe.stages:
        yield "score", "the reward"
    for index, stage in enumerate(plan.recipe.stages):
        own = ("stages", index, "dataset")
        if path == own or (path == ("dataset",) and own not in plan.datasets):
            yield stage.use, f"stage {index} ({stage.use})"
        elif path == ("stages", index, "eval", "dataset") and isinstance(stage, RlStage):
            yield "eval", f"stage {index} (eval)"


def _lacking(plan: Plan, path: Path, rows: list[Sample], readers: list[tuple[str, str]]) -> Iterator[Problem]:
    needed: dict[str, str] = {}
    for use, reader in readers:
        for wanted in STAGE_FIELDS.get(use, ()):
            needed[wanted] = reader
        if use in ("rl", "eval", "score"):
            for wanted, names in plan.required_fields.items():
                needed[wanted] = ", ".join(f"{n} ({plan.components[n].use.use})" for n in names)
    for wanted, reader in needed.items():
        lacking = [row for row in rows if row.fields.get(wanted) is None]
        if lacking:
            often = f"{len(lacking)} of {len(rows)} rows lack it, first {lacking[0].source or lacking[0].id}"
            often = "no row has it" if len(lacking) == len(rows) else often
            hint = f"name the column that holds it: `fields: {{{wanted}: <column>}}`; columns: {_columns(rows)}"
            what = f"field {wanted!r} is needed by {reader}, but {often}; {hint}"
            yield Problem(where=plan.document.where(path), what=what, path=path)


def _columns(rows: list[Sample]) -> str:
    return ", ".join(sorted(rows[0].fields)[:20]) or "none"


def _abstaining(plan: Plan, rows: list[Sample]) -> Iterator[tuple[str, str, bool]]:
    """(place, what, whether the job would fail) for rewards that will give some rows no value."""
    in_total = plan.expression.names if plan.expression else ()
    for name, planned in plan.components.items():
        if planned.spec.abstains is None:
            continue
        reasons = Counter(filter(None, (planned.spec.abstains(planned.options, row) for row in rows)))
        if reasons:
            listed = "; ".join(f"{reason} ({times} of {len(rows)} rows)" for reason, times in sorted(reasons.items()))
            fatal = planned.use.on_abstain == "fail" and name in in_total
            hint = "; set on_abstain to a number, or leave these rows out" if fatal else ""
            yield plan.document.where(("reward", "components", name)), f"will abstain: {listed}{hint}", fatal


def _not_there_yet(plan: Plan, planned: Planned) -> bool:
    """Whether a `data` stage of this recipe writes the file that this dataset reads."""
    target = getattr(planned.options, "path", None)
    return any(isinstance(stage, DataStage) and stage.to == str(target) for stage in plan.recipe.stages)
