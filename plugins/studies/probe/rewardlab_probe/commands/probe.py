"""`rewardlab probe`: degenerate completions against honest ones."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator
from rewardlab import CommandResult, Config, Flag, Overrides, Positional, note
from rewardlab.commands import (
    AnyRecipe,
    AnyRows,
    Count,
    RolloutName,
    Say,
    ScoredOn,
    ShardOf,
    file_of,
    scorer_on,
)
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import MissingGuard
from rewardlab_shards.kept_shard import KeptShard

from rewardlab_probe.attempts.degenerate import LONG
from rewardlab_probe.job import ROWS, THOROUGH, ProbeJob
from rewardlab_probe.measure import probing_plan
from rewardlab_probe.report import format_probe, probe_as_dict
from rewardlab_probe.verdicts import WinRule

SUMMARY = "test whether degenerate completions win"


class Options(Config):
    """Test whether degenerate completions win under a recipe's reward; the exit code is 1 if one does.

    Each row's honest completion is scored beside an empty one, the untouched prompt, every answer at once, padding,
    instructions to the judge, forged test results and others. The honest completion is in the column `honest`,
    `completions` (the first one) or `response`, or the one that --honest names. Without ROWS the recipe's dataset is
    read, its held-out rows if it has any. Judges are asked as in training. Nothing is written but the cassettes that
    the recipe names.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """the recipe with the reward"""
    rows: Annotated[AnyRows, Positional("ROWS.jsonl")] = None
    """rows to probe with"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    limit: Annotated[Count, Flag(metavar="N")] = ROWS
    """how many rows to probe at most, evenly over languages"""
    thorough: Annotated[int, Field(ge=0, le=1_000_000), Flag(metavar="N")] = THOROUGH
    """rows that all variants of each completion are tried on"""
    honest: Annotated[str | None, Flag(metavar="FIELD")] = None
    """the column of the honest completion"""
    reference: Annotated[str, Flag(metavar="FIELD")] = "reference"
    """the reference's column: in English, or in the row's language"""
    by: Annotated[tuple[str, ...], Flag(metavar="FIELD")] = ()
    """also judge each value's rows separately: language; repeatable"""
    tolerance: Annotated[float, Field(ge=0, le=1e9), Flag(metavar="T")] = 1e-6
    """totals closer than this are equal; a tie counts as a win"""
    max_won: Annotated[float, Field(ge=0, le=1), Flag(metavar="SHARE")] = 0.25
    """share of rows that a completion may win without counting as a winner"""
    margin: Annotated[float, Field(ge=0, le=1e9), Flag(metavar="M")] = 0.0
    """mean total by which the honest one must be ahead of doing nothing"""
    long: Annotated[Count, Flag(metavar="N")] = LONG
    """characters of very_long"""
    format: RolloutName = None
    """the tool whose rollouts the rows are (detected)"""
    skip_bad: bool = False
    """leave rows out that do not fit"""
    shard: ShardOf = None
    """score part I of N of the rows, into OUT.I-of-N.jsonl; `rewardlab merge OUT.jsonl` tests all parts"""
    output: Annotated[Path | None, Flag("-o", metavar="OUT.jsonl")] = None
    """with --shard: the file that the parts are of"""
    resume: bool = False
    """with --shard: go on with a part"""
    on: ScoredOn = None
    """score on a cluster: ray, or ray://HOST:10001"""
    say: Say = note

    """called with each note, such as how many questions will be asked"""

    @model_validator(mode="after")
    def _go_together(self) -> "Options":
        if (self.shard is None) != (self.output is None) or (self.resume and self.shard is None):
            raise ValueError("--shard, -o OUT.jsonl and --resume go together: a part keeps its scores there")
        return self


def run(options: Options) -> CommandResult:
    """Return whether degenerate completions win. A JobError if too many rows have no total."""
    plan = make_plan(load(options.recipe, options.overrides, strict=False), purpose="score")
    with file_of(options.rows, options.say, options.format, options.skip_bad) as (path, say):
        job = ProbeJob(
            plan=plan,
            rows=path,
            most=options.limit,
            honest=options.honest,
            reference=options.reference,
            by=options.by,
            rule=WinRule(tolerance=options.tolerance, most=options.max_won),
            thorough=options.thorough,
            long=options.long,
            margin=options.margin,
            skip_bad=options.skip_bad,
            open_scorer=scorer_on(options.on),
            say=say,
        )
        if options.shard is not None:
            rows = [group.input_row() for group in job.groups()]
            return KeptShard("probe", options, probing_plan(plan), rows, MissingGuard({})).run()
        probed = job.run()
    return CommandResult(ok=probed.ok, text=format_probe(probed), data=probe_as_dict(probed))
