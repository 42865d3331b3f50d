"""Find every mistake in a recipe: unknown names, wrong options, missing fields, sizes that do not divide.

Loads no model and calls no judge; reads the first rows of each dataset.
"""

import json
import sys
from argparse import ArgumentParser, Namespace


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", help="a YAML file")
    parser.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE", help="such as seed=3 or stages.1.steps=50"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: Namespace) -> int:
    from rewardlab.errors import UserError
    from rewardlab.loading import load
    from rewardlab.plan import make_plan
    from rewardlab.redaction import redact

    try:
        plan = make_plan(load(options.recipe, options.overrides, strict=False))
    except UserError as error:
        if not options.json:
            raise
        problems = [{"where": p.where, "path": list(p.path), "what": p.what} for p in error.problems]
        print(redact(json.dumps({"ok": False, "problems": problems, "warnings": []}, ensure_ascii=False)))
        return error.exit_code
    if options.json:
        low_high = None if plan.total_range is None else list(plan.total_range)
        print(json.dumps({"ok": True, "problems": [], "warnings": list(plan.warnings), "total_range": low_high}))
        return 0
    for warning in plan.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"{options.recipe}: fine")
    if plan.expression is not None and plan.total_range is not None:
        print(f"total {plan.expression.text!r} is in [{plan.total_range[0]:g}, {plan.total_range[1]:g}]")
    return 0
