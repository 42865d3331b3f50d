"""The full check of a recipe before a job: its plan, the rows of its datasets, and the checks of its backend."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from rewardlab.errors import JobError, Problem, UserError
from rewardlab.judging import require_secrets
from rewardlab.plan import Draft, Plan, draft_plan, make_plan
from rewardlab.recipe import Document, EvalStage, load, needs_engine
from rewardlab.registry import Registry

from rewardlab_training.backend import lacking, open_backend, served_evaluation
from rewardlab_training.dataset_preview import preview
from rewardlab_training.first_call import judges_asked
from rewardlab_training.idle_settings import idle_settings
from rewardlab_training.licences.judge_licences import judge_licences
from rewardlab_training.recipe_checks import recipe_problems, subset_warnings
from rewardlab_training.stage_checks import benchmark_findings, engine_problems, engine_warnings

SIZES = ("batch_size", "group_size", "updates_per_batch", "micro_batch_size")
RESTS_ON = {"updates_per_batch": SIZES, "micro_batch_size": SIZES, "eval_every": ("eval",)}
"""The settings of a stage that a problem of one of them rests on."""


def check_recipe(
    document: Document, registry: Registry | None = None, purpose: Literal["check", "run"] = "check"
) -> Plan:
    """Return the plan of a recipe, or raise a UserError that lists every problem.

    The plan has warnings: about settings that do nothing, about rows, and for "check" about an engine that is not
    installed, keys that are not set and judges without their licence, without which "run" does not begin.

    Args:
        purpose: "run" requires stages and reads every row of the datasets; "check" reads only the first rows.

    Raises JobError if a plugin fails while the recipe is checked.
    """
    draft = draft_plan(document, registry, purpose)
    plan = draft.plan
    if plan is None:
        raise draft.error()
    draft = replace(draft, problems=[*draft.problems, *recipe_problems(draft, purpose)])
    try:
        warnings, problems = _check_rows_and_backend(plan, draft, purpose)
    except JobError as error:
        if not draft.problems:
            raise
        raise draft.error([Problem(where=str(document.path), what=str(error))]) from error
    if draft.problems or problems:
        raise draft.error(problems)
    doubtful = [*subset_warnings(plan), *idle_settings(plan)]
    idle = [f"{document.where(path)}: {problem}" for path, problem in doubtful]
    lacks = [] if purpose == "run" else [*filter(None, [lacking(plan)]), *_unset_keys(plan), *_unlicensed(plan)]
    return replace(plan, warnings=[*plan.warnings, *idle, *warnings, *lacks])


def _unset_keys(plan: Plan) -> list[str]:
    """Return a line for each key of a judge that is asked and that this environment does not have; `run` refuses."""
    try:
        require_secrets(plan, judges_asked(plan))
    except UserError as error:
        return [str(problem) for problem in error.problems]
    return []


def _unlicensed(plan: Plan) -> list[str]:
    """Return a line for each judge without the licence that it requires; `run` refuses."""
    lacking = [licence for licence in judge_licences(plan) if licence.state != "licensed"]
    return [f"{plan.document.where(('judges', of.judge, 'require'))}: {of}" for of in lacking]


def plan_of_job(recipe: Path) -> Plan:
    """Return the plan of a run's resolved recipe, for a process of a job that was checked when it began."""
    return make_plan(load(recipe, strict=False), purpose="job")


def _check_rows_and_backend(plan: Plan, draft: Draft, purpose: str) -> tuple[list[str], list[Problem]]:
    """Return (warnings, problems): those of the rows of the datasets, and what the backend reports."""
    warnings, problems = preview(plan, None) if purpose == "run" else preview(plan)
    problems += [problem for problem in _served_problems(plan) if _is_of_the_file(draft, problem)]
    if plan.backend is not None:
        backend = open_backend(plan)
        engine_found = [problem for problem in engine_problems(plan, backend) if _is_of_the_file(draft, problem)]
        problems += engine_found
        if not engine_found and not draft.problems:
            warnings = [*warnings, *map(str, engine_warnings(plan, backend))]
    return warnings, problems


def _is_of_the_file(draft: Draft, problem: Problem) -> bool:
    """Return whether a problem comes from values of the file alone, and not from what stands in for a lost one."""
    path, lost = problem.path, draft.lost
    if path[:1] == ("model",):
        return lost.is_whole(("model",))
    rests_on = RESTS_ON.get(str(path[-1]), ()) if path[:1] == ("stages",) else ()
    return all(lost.is_whole((*path[:2], setting)) for setting in rests_on)


def _served_problems(plan: Plan) -> Iterator[Problem]:
    """Yield what is wrong with stages that evaluate a served policy, which no engine looks at."""
    for index, stage in enumerate(plan.recipe.stages):
        if isinstance(stage, EvalStage) and not needs_engine(stage):
            problems = list(benchmark_findings((), stage))
            try:
                served_evaluation()
            except UserError as error:
                problems.append((("policy", "judge"), str(error)))
            for path, problem in problems:
                place = ("stages", index, *path)
                yield Problem(where=plan.document.where(place), what=problem, path=place)
