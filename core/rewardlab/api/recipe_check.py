"""`rewardlab check` from Python."""

from typing import Any

from rewardlab.api.result import CommandResult, note
from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.recipe.loading import RecipeSource, load
from rewardlab.scoring.attribution.movement import Movement
from rewardlab.scoring.attribution.table import movement_as_dict
from rewardlab.training import check_recipe


def check(recipe: RecipeSource, *overrides: str, rows: str | None = None) -> CommandResult:
    """Return every mistake in a recipe, without loading a model; a recipe with mistakes raises nothing.

    rows: the path of rows that are scored already, a ledger or the output of `score`, to look for causes in.
    data: {"ok", "problems": [{"where", "path", "what"}], "warnings", "total_range"}; with rows, "findings" and
    "causes". Raises a JobError where a plugin fails while it is checked.
    """
    try:
        plan = check_recipe(load(recipe, overrides, strict=False))
        movement = None if rows is None else _movement(plan, rows)
    except UserError as error:
        data = error.as_dict() | {"warnings": []}
        return CommandResult(ok=False, text=str(error), data=data, problems=error.problems)
    causes = _causes(movement)
    lines = ["fine", *_range_line(plan), *causes[0]]
    warnings = [*plan.warnings, *causes[1]]
    return CommandResult(ok=True, text="\n".join(lines), data=_as_dict(plan, movement), warnings=warnings)


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
