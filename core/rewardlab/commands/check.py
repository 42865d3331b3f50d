"""Find every mistake in a recipe: unknown names, wrong options, missing fields, sizes that do not divide.

Loads no model, calls no judge and costs nothing; reads the first rows of each dataset. With ROWS that are scored
already, a run's ledger.jsonl or the output of `score`, it also shows what moved the reward there: `rewardlab causes`.
"""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewardlab.plan import Plan
    from rewardlab.scoring.attribution import Movement


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments",
        nargs="+",
        metavar="RECIPE [KEY=VALUE ...] [ROWS.jsonl]",
        help="what to check, and scored rows to look for causes in",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: Namespace) -> int:
    from rewardlab.errors import UserError
    from rewardlab.recipe import load, with_rows_or_none
    from rewardlab.text.printable import print_json
    from rewardlab.training import check_recipe

    recipe, rows, overrides = with_rows_or_none(options.arguments)
    try:
        plan = check_recipe(load(recipe, overrides, strict=False))
        movement = None if rows is None else _movement(plan, rows)
    except UserError as error:
        if not options.json:
            raise
        print_json(error.as_dict() | {"warnings": []})
        return error.exit_code
    if options.json:
        print_json(_as_dict(plan, movement))
        return 0
    for warning in plan.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"{recipe}: fine")
    if plan.expression is not None and plan.total_range is not None:
        print(f"total {plan.expression.text!r} is in [{plan.total_range[0]:g}, {plan.total_range[1]:g}]")
    if movement is not None:
        _print_causes(movement)
    return 0


def _movement(plan: "Plan", rows: str) -> "Movement":
    from rewardlab.analysis.causes import movement_of

    return movement_of(plan, rows, None, say=partial(print, file=sys.stderr))


def _as_dict(plan: "Plan", movement: "Movement | None") -> dict[str, Any]:
    low_high = None if plan.total_range is None else list(plan.total_range)
    result = {"ok": True, "problems": [], "warnings": list(plan.warnings), "total_range": low_high}
    if movement is not None:
        from rewardlab.scoring.attribution import movement_as_dict

        causes = movement_as_dict(movement)
        result |= {"findings": causes.pop("findings"), "causes": causes}
    return result


def _print_causes(movement: "Movement") -> None:
    from rewardlab.analysis.causes import finding_lines, summary_lines

    for line in summary_lines(movement):
        print(line)
    for line in finding_lines(movement):
        print(f"warning: {line}", file=sys.stderr)
