"""Show that degenerate completions do not win by a recipe's reward: exit code 1 where one does.

Each row's honest completion is scored beside an empty one, a copy of the prompt, the English reference, padding, orders
to the judge and others. A row has an honest completion in `honest`, `completions` (the first one) or `response`, or
where --honest says; without ROWS the recipe's dataset is read, its held-out rows where there are any.
Judges are asked as in training. Nothing is written but the cassettes that the recipe names.
"""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from functools import partial


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments",
        nargs="+",
        metavar="RECIPE [KEY=VALUE ...] [ROWS.jsonl]",
        help="what scores, and rows to probe with",
    )
    parser.add_argument("--rows", type=_count, default=32, metavar="N", help="most rows, evenly over languages (32)")
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
        "--tolerance", type=_amount, default=1e-6, metavar="T", help="totals so near are equal; a tie wins (1e-6)"
    )
    parser.add_argument(
        "--most", type=_share, default=0.25, metavar="SHARE", help="of the rows that may be won without a win (0.25)"
    )
    parser.add_argument("--long", type=_count, default=20_000, metavar="N", help="characters of very_long (20000)")
    parser.add_argument("--skip-bad", action="store_true", help="leave rows out that do not fit")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(options: Namespace) -> int:
    from rewardlab.loading import load
    from rewardlab.plan import make_plan
    from rewardlab.probing.job import ProbeJob
    from rewardlab.probing.report import as_dict, text
    from rewardlab.probing.verdicts import Rule

    recipe, rows, overrides = _sorted_out(options.arguments)
    probed = ProbeJob(
        plan=make_plan(load(recipe, overrides, strict=False), purpose="score"),
        rows=rows,
        most=options.rows,
        honest=options.honest,
        reference=options.reference,
        by=options.by,
        rule=Rule(tolerance=options.tolerance, most=options.most),
        long=options.long,
        skip_bad=options.skip_bad,
        say=partial(print, file=sys.stderr),
    ).run()
    print(json.dumps(as_dict(probed), ensure_ascii=False) if options.json else text(probed))
    return 1 if probed.failing else 0


def _sorted_out(arguments: Sequence[str]) -> tuple[str, str | None, list[str]]:
    """(recipe, rows or None, overrides), the overrides wherever they stand."""
    from rewardlab.errors import UserError
    from rewardlab.recipe_and_rows import apart

    files, overrides = apart(arguments)
    if len(files) not in (1, 2):
        found = f"found {', '.join(files)}" if files else "found neither"
        raise UserError(f"a recipe is needed and, after it, a file of rows or none; {found}")
    return files[0], files[1] if len(files) == 2 else None, overrides


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _amount(text: str) -> float:
    return _between(text, 0.0, 1e9)


def _share(text: str) -> float:
    return _between(text, 0.0, 1.0)


def _between(text: str, low: float, high: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not low <= number <= high:
        raise ArgumentTypeError(f"{text!r} is no number from {low:g} to {high:g}")
    return number
