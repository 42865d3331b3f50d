"""Score existing completions: write a line of scores for each row, in the rows' order.

A row is {"id", "prompt", "completions": [...], ...fields}. All rows are checked before anything is scored. An
interrupted job continues with --resume. A file whose name contains = is written with its folder: ./a=b.jsonl.
"""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from rewardlab.recipe.command_line import sorted_out


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments", nargs="+", metavar="RECIPE [KEY=VALUE ...] ROWS.jsonl", help="what to score by, and what"
    )
    parser.add_argument("-o", "--output", required=True, metavar="OUT.jsonl", help="a new file")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted OUT.jsonl")
    parser.add_argument("--skip-bad", action="store_true", help="leave bad rows out; the first 20 are listed")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(options: Namespace) -> int:
    recipe, rows, overrides = sorted_out(options.arguments)
    from rewardlab.plan import make_plan
    from rewardlab.recipe.loading import load
    from rewardlab.redaction import name_variables
    from rewardlab.scorefile.job import ScoreJob
    from rewardlab.text.printable import print_json

    job = ScoreJob(
        plan=make_plan(load(recipe, overrides, strict=False), purpose="score"),
        rows=rows,
        output=Path(options.output),
        resume=options.resume,
        skip_bad=options.skip_bad,
        command=_resume_command(options),
        say=partial(print, file=sys.stderr),
    )
    summary = job.run()
    if options.json:
        print_json(summary.as_dict() | {"output": name_variables(options.output)})
    *components, total = summary.lines()
    print(*components, f"{total}: {name_variables(options.output)}", sep="\n", file=sys.stderr)
    return 0


def _resume_command(options: Namespace) -> list[str]:
    flags = [flag for flag, given in (("--skip-bad", options.skip_bad), ("--json", options.json)) if given]
    return ["rewardlab", "score", *options.arguments, "-o", options.output, *flags, "--resume"]
