"""`rewardlab compare`: compare what two rewards would teach."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated

from pydantic import Field, model_validator
from rewardlab import CommandResult, Config, Flag, Overrides, Positional, PythonOnly, note
from rewardlab.commands import AnyRecipe, AnyRows, Count, RolloutName, Say, file_of
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan, make_plan
from rewardlab.recipe import load

from rewardlab_measure.compare.job import CompareJob
from rewardlab_measure.compare.report import comparison_as_dict, format_comparison
from rewardlab_measure.compare.scored_file import ScoredFile
from rewardlab_measure.compare.sources import SideSource, parse_sides
from rewardlab_measure.compare.teaching import TruthQuestion

SUMMARY = "compare what two rewards would teach"
MIN_WIDTH, MAX_WIDTH = 60, 110
"""columns of a line with a text (absent: as many as the terminal)"""


class Options(Config):
    """Compare what two rewards would teach: shaped rewards of the same completions, group by group.

    A and B are recipes, or files that `rewardlab score` wrote for these rows. KEY=VALUE is for both recipes,
    a:KEY=VALUE and b:KEY=VALUE for one: rewardlab compare r.yaml r.yaml rows.jsonl b:reward.normalize=[]
    A row is what `score` reads. All rows are checked for both before anything is scored. Nothing is written but -o and
    the cassettes that the recipes name; if both are scored files, the rows are only needed for texts and --by.
    """

    a: Annotated[AnyRecipe, Positional("A")]
    """one side"""
    b: Annotated[AnyRecipe, Positional("B")]
    """the other side"""
    rows: Annotated[AnyRows, Positional("ROWS.jsonl")] = None
    """the rows to compare on"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of both recipes, or of one: a:KEY=VALUE"""
    overrides_a: Annotated[tuple[str, ...], PythonOnly()] = ()
    """changes of A alone"""
    overrides_b: Annotated[tuple[str, ...], PythonOnly()] = ()
    """changes of B alone"""
    limit: Annotated[Count | None, Flag(metavar="N")] = None
    """compare this many rows, spread evenly over the file (all)"""
    by: Annotated[tuple[str, ...], Flag(metavar="FIELD")] = ()
    """a line for each value: language; repeatable"""
    output: Annotated[Path | None, Flag("-o", metavar="OUT.jsonl")] = None
    """a new file: a line for each group"""
    truth: Annotated[str | None, Flag(metavar="NAME")] = None
    """what you want: a component (a:NAME: A's), or a column with a number for each completion; says who teaches more"""
    detect: Annotated[float | None, Field(ge=1e-9, allow_inf_nan=False), Flag(metavar="D")] = None
    """with --truth: the difference that would matter; says how many prompts show it"""
    sequential: bool = False
    """with --truth: stop at the first of five looks that decides; rows in random order"""
    format: RolloutName = None
    """the tool whose rollouts the rows are (detected)"""
    skip_bad: bool = False
    """leave bad rows out; the first 20 are listed"""
    width: Annotated[Count | None, PythonOnly()] = None
    """columns of a line of the text (those of the terminal, from 60 to 110)"""
    say: Say = note
    """called with each note, such as how many questions will be asked"""

    @model_validator(mode="after")
    def _about_a_truth(self) -> "Options":
        if self.truth is None and (self.detect is not None or self.sequential):
            raise ValueError("--detect and --sequential need --truth NAME, which says what is wanted of completions")
        return self

    @property
    def question(self) -> TruthQuestion | None:
        """What is asked about a truth; None if none is named."""
        if self.truth is None:
            return None
        return TruthQuestion(truth=self.truth, detect=self.detect, sequential=self.sequential)


def run(options: Options) -> CommandResult:
    """Return the comparison. A UserError for wrong rows or files before anything is scored, a JobError later."""
    own = [f"{side}:{text}" for side in "ab" for text in getattr(options, f"overrides_{side}")]
    sources = parse_sides(options.a, options.b, [*options.overrides, *own], options.rows is not None)
    sides = _sides(sources)
    for line in dict.fromkeys(line for side in sides if isinstance(side, Plan) for line in side.notes):
        options.say(line)
    with file_of(options.rows, options.say, options.format, options.skip_bad) as (path, say):
        compared = CompareJob(
            sides=sides,
            rows=path,
            most=options.limit,
            by=list(dict.fromkeys(options.by)),
            output=options.output,
            skip_bad=options.skip_bad,
            question=options.question,
            say=say,
        ).run()
    named = list(zip(sources, sides, strict=True))
    width = options.width or max(MIN_WIDTH, min(MAX_WIDTH, get_terminal_size((MAX_WIDTH, 0)).columns))
    return CommandResult(text=format_comparison(compared, named, width=width), data=comparison_as_dict(compared, named))


def _sides(sources: tuple[SideSource, SideSource]) -> tuple[Plan | ScoredFile, Plan | ScoredFile]:
    """Return both sides. Raises a UserError with the problems of both, marked A or B if both name the same file."""
    sides: list[Plan | ScoredFile] = []
    wrong: list[list[Problem]] = []
    for source in sources:
        try:
            sides.append(_side(source))
            wrong.append([])
        except UserError as error:
            wrong.append(error.problems)
    a, b = wrong
    if a or b:
        both = [problem for problem in a if problem in b]
        same = sources[0].path == sources[1].path
        raise UserError([*both, *_problems_of_side("A: " * same, a, both), *_problems_of_side("B: " * same, b, both)])
    return sides[0], sides[1]


def _side(source: SideSource) -> Plan | ScoredFile:
    if source.is_scored:
        return ScoredFile(source.path)
    return make_plan(
        load(source.path if source.recipe is None else source.recipe, source.overrides, strict=False), purpose="score"
    )


def _problems_of_side(side: str, problems: Sequence[Problem], both: Sequence[Problem]) -> list[Problem]:
    return [replace(problem, where=f"{side}{problem.where}") for problem in problems if problem not in both]
