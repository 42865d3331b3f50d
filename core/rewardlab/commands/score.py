"""`rewardlab score`: rewards for existing completions."""

import os
from pathlib import Path
from typing import Annotated

from rewardlab.commands.arguments import AnyRecipe, AnyRows, RolloutName, Say
from rewardlab.commands.elsewhere import ScoredOn, ShardOf, scorer_on, share_of
from rewardlab.commands.parsing import command_line
from rewardlab.commands.row_inputs import file_of
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scorefile.job import ScoreJob
from rewardlab.scorefile.stream import STREAM, score_stream
from rewardlab.specs import Config
from rewardlab.specs.command import CommandResult, Flag, Overrides, Positional, PythonOnly, note
from rewardlab.text.printable import print_json, stdout_for_data
from rewardlab.text.redaction import name_variables

SUMMARY = "score existing completions"
JSON = ("--json",)


class Options(Config):
    """Score existing completions: write a line of scores for each row, in the rows' order.

    A row is {"id", "prompt", "completions": [...], ...fields}; the rollouts of other tools that docs/rollouts.md lists
    are read as well, and a folder of them. All rows are checked before anything is scored. An interrupted job continues
    with --resume. With - as the rows, JSON lines of standard input are scored, and their scores go to standard output.
    A file whose name contains = is written with its folder: ./a=b.jsonl.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """the recipe to score by"""
    rows: Annotated[AnyRows, Positional("ROWS.jsonl")]
    """the rows to score; -: standard input"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    output: Annotated[Path | None, Flag("-o", metavar="OUT.jsonl")] = None
    """a new file; -: standard output"""
    resume: bool = False
    """go on with an interrupted OUT.jsonl"""
    format: RolloutName = None
    """the tool whose rollouts the rows are (detected)"""
    skip_bad: bool = False
    """leave bad rows out; the first 20 are listed"""
    shard: ShardOf = None
    """score part I of N, into OUT.I-of-N.jsonl; `rewardlab merge OUT.jsonl` joins the parts"""
    on: ScoredOn = None
    """score on a cluster: ray, or ray://HOST:10001"""
    as_json: Annotated[bool, PythonOnly()] = False
    """whether the summary is printed as JSON"""
    say: Say = note
    """called with each note, such as how many questions will be asked"""


def run(options: Options) -> CommandResult:
    """Write a line of scores for each row; data: the summary. A UserError for wrong rows before anything is scored."""
    output = None if options.output is None else str(options.output)
    streams, shard = STREAM in (options.rows, output), share_of(options.shard)
    _refuse_flags(options, output, streams)
    plan = make_plan(load(options.recipe, options.overrides, strict=False), purpose="score")
    for line in plan.notes:
        options.say(line)
    if streams:
        with file_of(options.rows, options.say, options.format, options.skip_bad) as (path, say), stdout_for_data():
            summary = score_stream(plan, str(path), print_json, say, options.skip_bad)
        for line in summary.lines():
            options.say(line)
        return CommandResult(data=summary.as_dict())
    more = (*JSON[: options.as_json], "--resume")
    with file_of(options.rows, options.say, options.format, options.skip_bad) as (path, say):
        job = ScoreJob(
            plan=plan,
            rows=str(path),
            output=Path(str(output)),
            resume=options.resume,
            skip_bad=options.skip_bad,
            shard=shard,
            open_scorer=scorer_on(options.on),
            command=command_line("score", options.model_copy(update={"resume": False}), *more),
            say=say,
        )
        summary = job.run()
    written = name_variables(str(job.output))
    *components, total = summary.lines()
    for line in (*components, f"{total}: {written}"):
        options.say(line)
    return CommandResult(data=summary.as_dict() | {"output": written})


def _refuse_flags(options: Options, output: str | None, streams: bool) -> None:
    if not streams and output is None:
        raise UserError("name the output: -o OUT.jsonl for a new file, or -o - for standard output")
    if streams and output not in (None, STREAM):
        raise UserError("scores of standard input go to standard output: leave out -o, or redirect it with >")
    if options.rows == STREAM and options.format is not None:
        raise UserError("--format needs a file, since members of a group may be far apart in it; name one")
    rows = options.rows if isinstance(options.rows, (str, Path)) else ""
    if not streams and os.path.realpath(rows) == os.path.realpath(os.path.dirname(output or "") or "."):
        raise UserError("this is in the folder of the rows, and would be read as some of them", where=str(output))
    given = [name for name in ("resume", "as_json", "shard", "on") if getattr(options, name)]
    if streams and given:
        raise UserError(f"--{given[0].removeprefix('as_')} needs files: rows that are one, and -o FILE")
