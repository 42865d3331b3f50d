"""A look at the first rows of each dataset: do they have what the stages and rewards that read them need?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rewardlab.datasets import is_held_out, read_dataset
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.recipe import DataStage, EvalStage, RlStage
from rewardlab.specs import Context
from rewardlab.types import Sample
from rewardlab.validation import Path

ROWS = 2000
STAGE_FIELDS = {"sft": ("response",), "dpo": ("chosen", "rejected")}
SCORED = ("rl", "eval", "score")


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Who reads a dataset: a stage at `path`, its evaluation, a data step, or whoever scores by the recipe.

    `held_out` true: only the held-out rows; false: only the others; None: all.
    """

    use: str
    name: str
    path: Path
    held_out: bool | None

    def rows(self, rows: Sequence[Sample], holdout: float) -> list[Sample]:
        """Those that it reads."""
        return [row for row in rows if self.held_out in (None, is_held_out(row, holdout))]


def preview(plan: Plan, most: int | None = ROWS) -> tuple[list[str], list[Problem]]:
    """(warnings, problems) of the recipe's datasets, from their first `most` rows (None: all)."""
    warnings: list[str] = []
    problems: list[Problem] = []
    for path, planned in plan.datasets.items():
        # a step may cost money, and what is remote is there only when it is needed
        if planned.spec.step or planned.spec.remote or _not_there_yet(plan, planned):
            continue
        try:
            rows = list(islice(read_dataset(planned, Context(seed=plan.recipe.seed)), most))
        except UserError as error:
            where = plan.document.where(path)
            problems += [Problem(where=where, what=str(problem), path=path) for problem in error.problems]
            continue
        read_by = {reader: reader.rows(rows, planned.use.holdout) for reader in _readers(plan, path)}
        problems += _lacking(plan, path, read_by)
        if most is None or len(rows) < most:
            problems += _without_rows(plan, path, read_by)
        scored = {row.id: row for reader, those in read_by.items() if reader.use in SCORED for row in those}
        for name, what, fatal in _abstaining(plan, list(scored.values())):
            place = ("reward", "components", name)
            where = plan.document.where(place)
            problems += [Problem(where=where, what=what, path=place)] if fatal else []
            warnings += [] if fatal else [f"{where}: {what}"]
    return warnings, problems


def _readers(plan: Plan, path: Path) -> Iterator[Reader]:
    """Who reads the dataset that the file describes at `path`."""
    if path[-1] == "from":
        step = plan.datasets.get(path[:-1])
        if step is not None:
            yield Reader(use="step", name=step.use.use, path=path, held_out=None)
        return
    if not plan.document.tree.get("stages"):
        yield Reader(use="score", name="the reward", path=("reward",), held_out=None)
    for index, stage in enumerate(plan.recipe.stages):
        place: Path = ("stages", index)
        evaluates = isinstance(stage, RlStage) and stage.evaluation is not None
        if not isinstance(stage, DataStage | EvalStage) and plan.stage_dataset_place(index) == path:
            yield Reader(use=stage.use, name=f"stage {index} ({stage.use})", path=place, held_out=False)
        if isinstance(stage, EvalStage) or evaluates:
            evaluated, only_held_out = plan.evaluation_dataset_place(index)
            if evaluated == path:
                place = (*place, "eval") if evaluates else place
                yield Reader(use="eval", name=f"stage {index} (eval)", path=place, held_out=only_held_out or None)


def _lacking(plan: Plan, path: Path, read_by: dict[Reader, list[Sample]]) -> Iterator[Problem]:
    told = set()
    for reader, rows in read_by.items():
        for wanted, by in _needed(plan, reader).items():
            lacking = [row for row in rows if row.fields.get(wanted) is None]
            if not lacking or wanted in told:
                continue
            told.add(wanted)
            often = f"{len(lacking)} of {len(rows)} rows lack it, first {lacking[0].source or lacking[0].id}"
            often = "no row has it" if len(lacking) == len(rows) else often
            hint = f"name its column, `fields: {{{wanted}: <column>}}`; columns: {_columns(rows)}"
            what = f"field {wanted!r} is needed by {by}, but {often}; {hint}"
            yield Problem(where=plan.document.where(path), what=what, path=path)


def _needed(plan: Plan, reader: Reader) -> dict[str, str]:
    """The fields that a reader's rows must have: who needs each."""
    needed = dict.fromkeys(STAGE_FIELDS.get(reader.use, ()), reader.name)
    if reader.use == "step":
        step = plan.datasets[reader.path[:-1]]
        needed |= dict.fromkeys(step.ask("what it requires", step.spec.required_fields, step.options), reader.name)
    if reader.use in SCORED:
        for wanted, names in plan.required_fields.items():
            needed[wanted] = ", ".join(f"{n} ({plan.components[n].use.use})" for n in names)
    return needed


def _columns(rows: list[Sample]) -> str:
    return ", ".join(sorted(rows[0].fields)[:20]) or "none"


def _without_rows(plan: Plan, path: Path, read_by: dict[Reader, list[Sample]]) -> Iterator[Problem]:
    """Readers for whom nothing is left; only where all rows were looked at."""
    use, setting = plan.datasets[path].use.use, ".".join(map(str, (*path, "holdout")))
    for reader in (reader for reader, rows in read_by.items() if not rows):
        what = f"every row of {use} is held out, none is left to train on; lower {setting}"
        if reader.held_out:
            what = (
                f"no row of {use} is held out; set {setting} (such as 0.1), or give the evaluation a dataset of its own"
            )
        yield Problem(where=plan.document.where(reader.path), what=what, path=reader.path)


def _abstaining(plan: Plan, rows: list[Sample]) -> Iterator[tuple[str, str, bool]]:
    """(component, what, whether the job would fail) for rewards that will give some rows no value."""
    in_total = plan.expression.names if plan.expression else ()
    for name, planned in plan.components.items():
        if planned.spec.abstains is None:
            continue
        what, abstains = "whether it abstains", planned.spec.abstains
        reasons = Counter(filter(None, (planned.ask(what, abstains, planned.options, row) for row in rows)))
        if reasons:
            listed = "; ".join(f"{reason} ({n} of {len(rows)} rows)" for reason, n in sorted(reasons.items()))
            fatal = planned.use.on_abstain == "fail" and name in in_total
            hint = "; set on_abstain to a number, or leave these rows out" if fatal else ""
            yield name, f"will abstain: {listed}{hint}", fatal


def _not_there_yet(plan: Plan, planned: Planned) -> bool:
    """Whether a `data` stage of this recipe writes the file that this dataset reads."""
    target = getattr(planned.options, "path", None)
    return any(isinstance(stage, DataStage) and stage.to == str(target) for stage in plan.recipe.stages)
