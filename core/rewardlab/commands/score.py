"""`rewardlab score`: rewards for existing completions."""

from pathlib import Path
from typing import Annotated

from rewardlab.command_spec import CommandResult, Flag, Overrides, Positional, note
from rewardlab.commands import command_named
from rewardlab.commands.argument_types import AnyRecipe, AnyRows, Say
from rewardlab.commands.given_rows import file_of
from rewardlab.commands.parsing import command_line
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.redaction import name_variables
from rewardlab.scorefile.job import ScoreJob
from rewardlab.specs import Config


class Options(Config):
    """Score existing completions: write a line of scores for each row, in the rows' order.

    A row is {"id", "prompt", "completions": [...], ...fields}. All rows are checked before anything is scored. An
    interrupted job continues with --resume. A file whose name contains = is written with its folder: ./a=b.jsonl.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """what to score by"""
    rows: Annotated[AnyRows, Positional("ROWS.jsonl")]
    """what to score"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    output: Annotated[Path, Flag("-o", metavar="OUT.jsonl")]
    """a new file"""
    resume: bool = False
    """go on with an interrupted OUT.jsonl"""
    skip_bad: bool = False
    """leave bad rows out; the first 20 are listed"""
    say: Say = note
    """called with each note, such as how many questions will be asked"""


def run(options: Options) -> CommandResult:
    """Write a line of scores for each row; data: the summary. A UserError for wrong rows before anything is scored."""
    with file_of(options.rows) as path:
        summary = ScoreJob(
            plan=make_plan(load(options.recipe, options.overrides, strict=False), purpose="score"),
            rows=str(path),
            output=options.output,
            resume=options.resume,
            skip_bad=options.skip_bad,
            command=command_line(command_named("score"), options.model_copy(update={"resume": False}), "--resume"),
            say=options.say,
        ).run()
    written = name_variables(str(options.output))
    *components, total = summary.lines()
    for line in (*components, f"{total}: {written}"):
        options.say(line)
    return CommandResult(data=summary.as_dict() | {"output": written})
