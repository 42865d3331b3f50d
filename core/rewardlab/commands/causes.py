"""Show which components moved the reward, and name those that are dead, dominate the others or say the same.

ROWS are a run's folder, its ledger.jsonl or the output of `score`, as they are; or rows with completions: at most
--rows of these are scored first, which may ask judges that cost money.
"""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial

from rewardlab.commands.argument_types import count


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("arguments", nargs="+", metavar="RECIPE [KEY=VALUE ...] ROWS.jsonl", help="a recipe, and rows")
    parser.add_argument("--rows", type=count, default=64, metavar="N", help="most rows that are scored for it (64)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: Namespace) -> int:
    from rewardlab.analysis.causes.from_rows import movement_of
    from rewardlab.analysis.causes.summary import finding_lines, summary_lines
    from rewardlab.errors import UserError
    from rewardlab.plan import make_plan
    from rewardlab.recipe.command_line import sorted_out
    from rewardlab.recipe.loading import load
    from rewardlab.scoring.attribution.table import movement_as_dict
    from rewardlab.text.printable import print_json

    recipe, rows, overrides = sorted_out(options.arguments)
    try:
        plan = make_plan(load(recipe, overrides, strict=False), purpose="score")
        movement = movement_of(plan, rows, options.rows, say=partial(print, file=sys.stderr))
    except UserError as error:
        if not options.json:
            raise
        print_json(error.as_dict())
        return error.exit_code
    if options.json:
        causes = movement_as_dict(movement)
        print_json({"ok": True, "findings": causes.pop("findings"), "causes": causes})
        return 0
    for line in summary_lines(movement):
        print(line)
    for line in finding_lines(movement):
        print(f"warning: {line}", file=sys.stderr)
    return 0
