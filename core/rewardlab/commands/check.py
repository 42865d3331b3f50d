"""Find every mistake in a recipe: unknown names, wrong options, missing fields, sizes that do not divide.

Loads no model, calls no judge and costs nothing; reads the first rows of each dataset. With ROWS that are scored
already, a run's folder or the output of `score`, it also shows what moved the reward there: `rewardlab causes`.
"""

import sys
from argparse import ArgumentParser, Namespace


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments",
        nargs="+",
        metavar="RECIPE [KEY=VALUE ...] [ROWS.jsonl]",
        help="what to check, and scored rows to look for causes in",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: Namespace) -> int:
    from rewardlab.api.recipe_check import check
    from rewardlab.errors import UserError
    from rewardlab.recipe.command_line import with_rows_or_none
    from rewardlab.text.printable import print_json

    recipe, rows, overrides = with_rows_or_none(options.arguments)
    found = check(recipe, *overrides, rows=rows)
    if options.json:
        print_json(found.data)
        return 0 if found.ok else UserError.exit_code
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if not found.ok:
        raise UserError(found.problems)
    print(f"{recipe}: {found}")
    return 0
