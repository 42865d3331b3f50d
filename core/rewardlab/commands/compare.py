"""Show what two rewards would teach differently: shaped rewards of the same completions, group by group.

A and B are recipes, or files that `rewardlab score` wrote for these rows. KEY=VALUE is for both recipes, a:KEY=VALUE
and b:KEY=VALUE for one: rewardlab compare r.yaml r.yaml rows.jsonl b:reward.normalize=[]
A row is what `score` reads. All rows are checked for both before anything is scored. Nothing is written but -o and
the cassettes that the recipes name; where both are scored files, the rows are only needed for texts and --by.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from rewardlab.commands.argument_types import count

LEAST_WIDTH, WIDTH = 60, 110
"""columns of a line with a text: as many as the terminal has, within these; where there is none, the most"""


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
    from rewardlab.analysis.compare import CompareJob, comparison_as_dict, format_comparison, parse_sources
    from rewardlab.text.printable import print_json

    a, b, rows = parse_sources(options.arguments)
    sides = _sides((a, b))
    compared = CompareJob(
        sides=sides,
        rows=rows,
        most=options.rows,
        by=list(dict.fromkeys(options.by)),
        output=None if options.output is None else Path(options.output),
        skip_bad=options.skip_bad,
        say=partial(print, file=sys.stderr),
    ).run()
    named = list(zip((a, b), sides, strict=True))
    if options.json:
        print_json(comparison_as_dict(compared, named))
    else:
        columns = get_terminal_size((WIDTH, 0)).columns
        print(format_comparison(compared, named, width=max(LEAST_WIDTH, min(WIDTH, columns))))
    return 0


def _sides(sources: Sequence[Any]) -> Any:
    """Return both sides. Raises a UserError with the problems of both, marked A or B where both name the same file."""
    from rewardlab.errors import Problem, UserError

    found: list[Any] = []
    wrong: list[list[Problem]] = []
    for source in sources:
        try:
            found.append(_side(source))
            wrong.append([])
        except UserError as error:
            wrong.append(error.problems)
    a, b = wrong
    if a or b:
        both = [problem for problem in a if problem in b]
        same = sources[0].path == sources[1].path
        raise UserError([*both, *_problems_of_side("A: " * same, a, both), *_problems_of_side("B: " * same, b, both)])
    return tuple(found)


def _problems_of_side(side: str, problems: Sequence[Any], both: Sequence[Any]) -> list[Any]:
    return [replace(problem, where=f"{side}{problem.where}") for problem in problems if problem not in both]


def _side(source: Any) -> Any:
    """Return a recipe's plan, or a scored file."""
    from rewardlab.analysis.compare import ScoredFile
    from rewardlab.plan import make_plan
    from rewardlab.recipe.loading import load

    if source.is_scored:
        return ScoredFile(source.path)
    return make_plan(load(source.path, source.overrides, strict=False), purpose="score")
