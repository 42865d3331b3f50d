"""Find every mistake in a recipe: unknown names, wrong options, missing fields, sizes that do not divide.

Loads no model and calls no judge; reads the first rows of each dataset. With ROWS it also tells what moved the reward
there, and names components that are dead, dominate the others or say the same: of a run's ledger.jsonl or the output
of `score` as they are; rows with completions are scored first, at most --rows of them, which asks judges.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Any

from rewardlab.argument_types import count
from rewardlab.recipe_and_rows import with_rows_or_none


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments",
        nargs="+",
        metavar="RECIPE [KEY=VALUE ...] [ROWS.jsonl]",
        help="what to check, and rows to look for causes in",
    )
    parser.add_argument("--rows", type=count, default=64, metavar="N", help="most rows that are scored for it (64)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: Namespace) -> int:
    from rewardlab.errors import UserError
    from rewardlab.loading import load
    from rewardlab.plan import make_plan
    from rewardlab.redaction import redact

    recipe, rows, overrides = with_rows_or_none(options.arguments)
    try:
        plan = make_plan(load(recipe, overrides, strict=False))
        movement = None if rows is None else _movement(plan, rows, options)
    except UserError as error:
        if not options.json:
            raise
        problems = [{"where": p.where, "path": list(p.path), "what": p.what} for p in error.problems]
        print(redact(json.dumps({"ok": False, "problems": problems, "warnings": []}, ensure_ascii=False)))
        return error.exit_code
    if options.json:
        print(json.dumps(_as_dict(plan, movement)))
        return 0
    for warning in plan.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"{recipe}: fine")
    if plan.expression is not None and plan.total_range is not None:
        print(f"total {plan.expression.text!r} is in [{plan.total_range[0]:g}, {plan.total_range[1]:g}]")
    if movement is not None:
        _tell(movement)
    return 0


def _movement(plan: Any, rows: str, options: Namespace) -> Any:
    from rewardlab.causes.reading import movement_of

    return movement_of(plan, rows, options.rows, say=partial(print, file=sys.stderr))


def _as_dict(plan: Any, movement: Any) -> dict[str, Any]:
    low_high = None if plan.total_range is None else list(plan.total_range)
    told = {"ok": True, "problems": [], "warnings": list(plan.warnings), "total_range": low_high}
    if movement is not None:
        from rewardlab.causes.told import as_dict

        causes = as_dict(movement)
        told |= {"findings": causes.pop("findings"), "causes": causes}
    return told


def _tell(movement: Any) -> None:
    from rewardlab.causes.findings import LEAST_GROUPS, findings
    from rewardlab.causes.told import lines

    print(f"what moved the reward, in {movement.groups:,} group{'s' * (movement.groups != 1)}:")
    for line in lines(movement):
        print(f"  {line}")
    if movement.telling < LEAST_GROUPS:
        found = f"{movement.telling} of them {'has' if movement.telling == 1 else 'have'} two completions with a total"
        print(f"  ({found}; from {LEAST_GROUPS} on, dead, dominating and duplicate components are named)")
    for finding in findings(movement):
        print(f"warning: {finding.what}", file=sys.stderr)
