"""Show what two rewards would teach differently: shaped rewards of the same completions, group by group.

A and B are recipes, or files that `rewardlab score` wrote for these rows. KEY=VALUE is for both recipes, a:KEY=VALUE
and b:KEY=VALUE for one: rewardlab compare r.yaml r.yaml rows.jsonl b:reward.normalize=[]
A row is what `score` reads. All rows are checked for both before anything is scored. Nothing is written but -o and
the cassettes that the recipes name; where both are scored files, the rows are only needed for texts and --by.
"""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path
from shutil import get_terminal_size

from rewardlab.commands.argument_types import count

LEAST_WIDTH = 60
"""columns of a line with a text, which else has as many as the terminal, and at most WIDTH"""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments", nargs="+", metavar="A B [KEY=VALUE ...] ROWS.jsonl", help="what to compare, and on which rows"
    )
    parser.add_argument("--rows", type=count, metavar="N", help="compare so many rows, evenly over the file (all)")
    parser.add_argument("--by", action="append", default=[], metavar="FIELD", help="a line for each value: language")
    parser.add_argument("-o", "--output", metavar="OUT.jsonl", help="a new file: a line for each group")
    parser.add_argument("--skip-bad", action="store_true", help="leave bad rows out; the first 20 are listed")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(options: Namespace) -> int:
    from rewardlab.analysis.compare.sources import parse_sources
    from rewardlab.api.reward_comparison import WIDTH, compare_sources
    from rewardlab.text.printable import print_json

    a, b, rows = parse_sources(options.arguments)
    columns = get_terminal_size((WIDTH, 0)).columns
    found = compare_sources(
        (a, b),
        rows,
        most=options.rows,
        by=options.by,
        output=None if options.output is None else Path(options.output),
        skip_bad=options.skip_bad,
        width=max(LEAST_WIDTH, min(WIDTH, columns)),
        say=partial(print, file=sys.stderr),
    )
    if options.json:
        print_json(found.data)
    else:
        print(found)
    return 0
