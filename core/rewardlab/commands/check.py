"""`rewardlab check`: every mistake in a recipe, without loading a model."""

from collections.abc import Mapping
from typing import Annotated, Any

from rewardlab.command_spec import CommandResult, Overrides, Positional, note
from rewardlab.commands.argument_types import AnyRecipe
from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.recipe.loading import load
from rewardlab.recipe.yaml12 import dump
from rewardlab.scoring.attribution.movement import Movement
from rewardlab.scoring.attribution.table import movement_as_dict
from rewardlab.specs import Config
from rewardlab.training import check_recipe


class Options(Config):
    """Find every mistake in a recipe: unknown names, wrong options, missing fields, sizes that do not divide.

    Loads no model, calls no judge and costs nothing; reads the first rows of each dataset. With ROWS that are scored
    already, a run's folder or the output of `score`, it also shows what moved the reward there: `rewardlab causes`.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """what to check"""
    rows: Annotated[str | None, Positional("ROWS.jsonl")] = None
    """scored rows to look for causes in"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    resolved: bool = False
    """print the whole recipe, merged over what it extends"""


def run(options: Options) -> CommandResult:
    """Return every mistake; a recipe with mistakes raises nothing. A JobError if a plugin fails while it is checked.

    data: {"ok", "problems": [{"where", "path", "what"}], "warnings", "total_range"}; with rows, "findings" and
    "causes".
    """
    document = load(options.recipe, options.overrides, strict=False)
    if options.resolved:
        return CommandResult(text=dump(document.raw).rstrip("\n"), data=document.raw)
    try:
        plan = check_recipe(document)
        movement = None if options.rows is None else _movement(plan, options.rows)
    except UserError as error:
        data = error.as_dict() | {"warnings": []}
        return CommandResult(ok=False, text=str(error), data=data, problems=error.problems)
    causes = _causes(movement)
    named = "" if isinstance(options.recipe, Mapping) else f"{options.recipe}: "
    lines = [f"{named}fine", *_range_line(plan), *causes[0]]
    warnings = [*plan.warnings, *causes[1]]
    return CommandResult(text="\n".join(lines), data=_as_dict(plan, movement), warnings=warnings)


def _movement(plan: Plan, rows: str) -> Movement:
    from rewardlab.analysis.causes.from_rows import movement_of

    return movement_of(plan, rows, None, say=note)


def _as_dict(plan: Plan, movement: Movement | None) -> dict[str, Any]:
    low_high = None if plan.total_range is None else list(plan.total_range)
    result = {"ok": True, "problems": [], "warnings": list(plan.warnings), "total_range": low_high}
    if movement is not None:
        causes = movement_as_dict(movement)
        result |= {"findings": causes.pop("findings"), "causes": causes}
    return result


def _range_line(plan: Plan) -> list[str]:
    if plan.expression is None or plan.total_range is None:
        return []
    low, high = plan.total_range
    return [f"total {plan.expression.text!r} is in [{low:g}, {high:g}]"]


def _causes(movement: Movement | None) -> tuple[list[str], list[str]]:
    """Return (the summary, the findings), each line by line."""
    if movement is None:
        return [], []
    from rewardlab.analysis.causes.summary import finding_lines, summary_lines

    return list(summary_lines(movement)), list(finding_lines(movement))
