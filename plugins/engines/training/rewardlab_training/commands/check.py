"""`rewardlab check`: every mistake in a recipe, without loading a model."""

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from typing import Annotated, Any

from rewardlab import CommandResult, Config, Group, Overrides, Positional
from rewardlab.commands import AnyRecipe, file_of, find_command
from rewardlab.data import read_lines, refuse_stream
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan
from rewardlab.recipe import dump, load
from rewardlab.scorefile import RowIndex, abstention_problems, check_rows
from rewardlab.scoring import RowCheck
from rewardlab.text import counted

from rewardlab_training import check_recipe
from rewardlab_training.goldens import recorded_golden_scores
from rewardlab_training.judge_costs import as_data, cost_lines, judge_costs
from rewardlab_training.licences.judge_licences import judge_licences
from rewardlab_training.row_counts import repeated_readings

LISTED_REASONS = 5
SUMMARY = "find every mistake in a recipe, without loading a model"


class Options(Config):
    """Find every mistake in a recipe: unknown names, wrong options, missing fields, sizes that do not divide.

    It loads no model, asks no judge and costs nothing; it reads the first rows of each dataset. If a judge's cassette
    has answers about the goldens of a rubric, they must be right. With ROWS, which may be rollouts of another tool, it
    says whether they have the fields that the rewards need. For scored rows (a run's folder, or the output of `score`)
    it also says what moved the reward, as `rewardlab causes` does.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """the recipe to check"""
    rows: Annotated[str | None, Positional("ROWS.jsonl")] = None
    """rows or rollouts to check against the recipe"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    resolved: bool = False
    """print the whole recipe, merged over what it extends"""


def run(options: Options) -> CommandResult:
    """Return every mistake; a recipe with mistakes raises nothing. A JobError if a plugin fails while it is checked.

    data: {"ok", "problems": [{"where", "path", "what"}], "warnings", "total_range"}; of stages that read rows several
    times "repeated", a line each; of judges that are paid "costs", by name {"usd": the most in all, "by_stage",
    "unknown": stage -> why it is not known, "budget": where the run stops}; with rows, "rows" and "completions", or
    "findings" and "causes" if they are scored.
    """
    document = load(options.recipe, options.overrides, strict=False)
    if options.resolved:
        return CommandResult(text=dump(document.raw).rstrip("\n"), data=document.raw)
    try:
        plan = check_recipe(document)
        goldens = _goldens(plan)
        about_rows = None if options.rows is None else _in_rows(options, plan)
    except UserError as error:
        data = error.as_dict() | {"warnings": []}
        return CommandResult(ok=False, text=str(error), data=data, problems=error.problems)
    named = "" if isinstance(options.recipe, Mapping) else f"{options.recipe}: "
    repeated = [f"stage {index} {reading}" for index, reading in repeated_readings(plan)]
    costs = judge_costs(plan)
    licences = [licence for licence in judge_licences(plan) if licence.state == "licensed"]
    lines = [f"{named}fine", *_range_line(plan), *goldens, *map(str, licences), *repeated, *cost_lines(costs)]
    warnings, data = list(plan.warnings), _as_dict(plan) | ({"repeated": repeated} if repeated else {})
    data |= {"costs": as_data(costs)} if costs else {}
    if about_rows is not None:
        lines.append(about_rows.text)
        warnings += about_rows.warnings
        data |= about_rows.data | {"ok": True}
    return CommandResult(text="\n".join(lines), data=data, warnings=warnings)


def _goldens(plan: Plan) -> list[str]:
    """Return a line for each component some of whose goldens a cassette has answers about.

    UserError that lists those that its judge gets wrong there.
    """
    problems, lines = list[Problem](), list[str]()
    for name, all_of_one in recorded_golden_scores(plan).items():
        scores = [score for score in all_of_one if score.recorded]
        path = ("reward", "components", name)
        wrong = [f"{score.golden.place}: in the cassette {score.problem}" for score in scores if not score.right]
        problems += [Problem(where=plan.document.where(path), what=problem, path=path) for problem in wrong]
        if scores:
            lines.append(
                f"{name}: {len(scores)} of {counted(len(all_of_one), 'golden')} recorded, all as they should be"
            )
    if problems:
        raise UserError(problems)
    return lines


def _in_rows(options: Options, plan: Plan) -> CommandResult:
    """Return what rows say of the recipe. UserError if some cannot be scored by it, or were not by it."""
    refuse_stream(str(options.rows))
    with file_of(options.rows, lambda text: None) as (path, _):
        if os.path.isdir(str(path)) or _is_scored(str(path)):
            return _causes(options)
        count, completions, failures = _counted(plan, str(path))
    many, have = f"{counted(count, 'row')} with {counted(completions, 'completion')}", "has" if count == 1 else "have"
    message = f"{options.rows}: {many} {have} what the reward needs"
    data = {"rows": count, "completions": completions}
    warnings = [
        f"{options.rows}: {counted(times, 'completion')} of {completions:,}: the rollout failed, so that it is no "
        f"answer and gets no total: {why}"
        for why, times in failures.most_common(LISTED_REASONS)
    ]
    return CommandResult(text=message, data=data, warnings=warnings)


def _is_scored(path: str) -> bool:
    """Return whether a file's first row has scores: a line of a ledger, or of what `score` writes."""
    with closing(read_lines(path)) as lines:
        first = next((row for _, row in lines if not isinstance(row, Problem)), {})
    return {"components", "shaped"} <= first.keys()


def _counted(plan: Plan, path: str) -> tuple[int, int, Counter[str]]:
    """Return how many rows and completions a file has, all of which the reward of a plan can score, and failures.

    Failures are those of rollouts, by their reason. Raises UserError that lists what cannot be scored.
    """
    check, completions, failures = RowCheck(plan, trained=True), 0, Counter[str]()

    def count(_: str, group: Group) -> None:
        nonlocal completions
        completions += len(group.completions)
        failures.update(why for completion in group.completions if (why := completion.failure) is not None)

    with closing(RowIndex()) as index:
        bad = check_rows(path, check, index, lambda: None, count)
        problems = abstention_problems(plan, check)
        if bad.count or problems:
            listed = (
                bad.error(path, "fix them; `rewardlab score --skip-bad` leaves them out").problems if bad.count else []
            )
            raise UserError([*listed, *problems])
        if not len(index):
            raise UserError("it has no rows", where=path)
        return len(index), completions, failures


def _causes(options: Options) -> CommandResult:
    """Return what `rewardlab causes` finds in rows that are scored already; it scores none, for that may cost."""
    command = find_command("causes")
    assert command is not None
    given = {"recipe": options.recipe, "overrides": options.overrides, "rows": options.rows, "limit": None}
    causes = command.run(command.options(**given))
    assert isinstance(causes, CommandResult)
    return causes


def _as_dict(plan: Plan) -> dict[str, Any]:
    low_high = None if plan.total_range is None else list(plan.total_range)
    return {"ok": True, "problems": [], "warnings": list(plan.warnings), "total_range": low_high}


def _range_line(plan: Plan) -> list[str]:
    if plan.expression is None or plan.total_range is None:
        return []
    low, high = plan.total_range
    return [f"total {plan.expression.text!r} is in [{low:g}, {high:g}]"]
