"""Score existing completions: write a line of scores for each row, in the rows' order.

A row is {"id", "prompt", "completions": [...], ...fields}. All rows are checked before anything is scored. An
interrupted job continues with --resume. With - as the rows, JSON lines of standard input are scored, and their scores
go to standard output. A file whose name contains = is written with its folder: ./a=b.jsonl.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab.recipe.command_line import sorted_out


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments", nargs="+", metavar="RECIPE [KEY=VALUE ...] ROWS.jsonl", help="what to score by, and what"
    )
    parser.add_argument("-o", "--output", metavar="OUT.jsonl", help="a new file; -: standard output")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted OUT.jsonl")
    parser.add_argument("--skip-bad", action="store_true", help="leave bad rows out; the first 20 are listed")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(options: Namespace) -> int:
    recipe, rows, overrides = sorted_out(options.arguments)
    from rewardlab.plan import make_plan
    from rewardlab.recipe.loading import load
    from rewardlab.redaction import name_variables
    from rewardlab.scorefile import STREAM, ScoreJob, score_stream
    from rewardlab.text.printable import print_json

    say = partial(print, file=sys.stderr)
    streams = STREAM in (rows, options.output)
    _refuse_flags(options, streams)
    plan = make_plan(load(recipe, overrides, strict=False), purpose="score")
    if streams:
        summary = score_stream(plan, rows, _print_at_once, say, options.skip_bad)
    else:
        summary = ScoreJob(
            plan=plan,
            rows=rows,
            output=Path(options.output),
            resume=options.resume,
            skip_bad=options.skip_bad,
            command=_resume_command(options),
            say=say,
        ).run()
    if options.json:
        print_json(summary.as_dict() | {"output": name_variables(options.output)})
    *components, total = summary.lines()
    print(*components, total if streams else f"{total}: {name_variables(options.output)}", sep="\n", file=sys.stderr)
    return 0


def _refuse_flags(options: Namespace, streams: bool) -> None:
    from rewardlab.errors import UserError

    if not streams and options.output is None:
        raise UserError("where do the scores go? -o OUT.jsonl, a new file, or -o - for standard output")
    if streams and options.output not in (None, "-"):
        raise UserError("scores of standard input go to standard output: leave out -o, or redirect it with >")
    if streams and (options.resume or options.json):
        raise UserError("of standard output nothing can be resumed, and no summary is JSON: no --resume, no --json")


def _print_at_once(row: Mapping[str, Any]) -> None:
    from rewardlab.text.printable import print_json

    print_json(row)
    sys.stdout.flush()


def _resume_command(options: Namespace) -> list[str]:
    flags = [flag for flag, given in (("--skip-bad", options.skip_bad), ("--json", options.json)) if given]
    return ["rewardlab", "score", *options.arguments, "-o", options.output, *flags, "--resume"]
