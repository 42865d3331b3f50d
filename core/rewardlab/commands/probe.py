"""Show that degenerate completions do not win under a recipe's reward; the exit code is 1 where one does.

Each row's honest completion is scored beside an empty one, a copy of the prompt, the English reference, padding, orders
to the judge and others. A row has an honest completion in `honest`, `completions` (the first one) or `response`, or
where --honest says; without ROWS the recipe's dataset is read, its held-out rows where there are any.
Judges are asked as in training. Nothing is written but the cassettes that the recipe names.
"""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial

from rewardlab.commands.argument_types import amount, count, share
from rewardlab.recipe.command_line import with_rows_or_none


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments",
        nargs="+",
        metavar="RECIPE [KEY=VALUE ...] [ROWS.jsonl]",
        help="what scores, and rows to probe with",
    )
    parser.add_argument("--rows", type=count, default=32, metavar="N", help="most rows, evenly over languages (32)")
    parser.add_argument("--honest", metavar="FIELD", help="the column of the honest completion")
    parser.add_argument(
        "--reference", default="reference", metavar="FIELD", help="of the English reference (reference)"
    )
    parser.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="FIELD",
        help="judge each value's rows by themselves, too: language",
    )
    parser.add_argument(
        "--tolerance", type=amount, default=1e-6, metavar="T", help="totals so near are equal; a tie wins (1e-6)"
    )
    parser.add_argument(
        "--most", type=share, default=0.25, metavar="SHARE", help="of the rows that may be won without a win (0.25)"
    )
    parser.add_argument("--long", type=count, default=20_000, metavar="N", help="characters of very_long (20000)")
    parser.add_argument("--skip-bad", action="store_true", help="leave rows out that do not fit")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(options: Namespace) -> int:
    from rewardlab.api.reward_probe import probe
    from rewardlab.text.printable import print_json

    recipe, rows, overrides = with_rows_or_none(options.arguments)
    found = probe(
        recipe,
        rows,
        *overrides,
        most=options.rows,
        honest=options.honest,
        reference=options.reference,
        by=options.by,
        tolerance=options.tolerance,
        most_won=options.most,
        long=options.long,
        skip_bad=options.skip_bad,
        say=partial(print, file=sys.stderr),
    )
    if options.json:
        print_json(found.data)
    else:
        print(found)
    return 0 if found.ok else 1
