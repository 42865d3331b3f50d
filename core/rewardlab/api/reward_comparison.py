"""`rewardlab compare` from Python."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rewardlab.analysis.compare.job import CompareJob
from rewardlab.analysis.compare.report import comparison_as_dict, format_comparison
from rewardlab.analysis.compare.scored_file import ScoredFile
from rewardlab.analysis.compare.sources import SideSource, refuse_missing_rows
from rewardlab.api.given import file_of
from rewardlab.api.result import CommandResult, note
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan, make_plan
from rewardlab.recipe.loading import RecipeSource, load
from rewardlab.scoring.given_rows import Rows

WIDTH = 110


def compare(
    a: RecipeSource,
    b: RecipeSource,
    rows: Rows | None = None,
    *overrides: str,
    overrides_a: Sequence[str] = (),
    overrides_b: Sequence[str] = (),
    most: int | None = None,
    by: Sequence[str] = (),
    output: Path | None = None,
    skip_bad: bool = False,
    width: int = WIDTH,
    say: Callable[[str], None] = note,
) -> CommandResult:
    """Return what two rewards would teach differently: shaped rewards of the same completions, group by group.

    a, b: recipes, or paths of files that `rewardlab score` wrote for these rows (.jsonl). rows: dicts or a path; None
    where both were scored before. overrides: of both recipes; overrides_a, overrides_b: of one. most: rows to compare,
    evenly over all. by: a line for each value of these fields. output: a new file with a line for each group. width:
    columns of a line of the text. Raises a UserError for wrong rows or files before anything is scored, a JobError
    later.
    """
    sources = (
        _source("a", a, [*overrides, *overrides_a]),
        _source("b", b, [*overrides, *overrides_b]),
    )
    refuse_missing_rows(sources, rows is not None)
    return compare_sources(sources, rows, most=most, by=by, output=output, skip_bad=skip_bad, width=width, say=say)


def compare_sources(
    sources: tuple[SideSource, SideSource],
    rows: Rows | None,
    *,
    most: int | None,
    by: Sequence[str],
    output: Path | None,
    skip_bad: bool,
    width: int,
    say: Callable[[str], None],
) -> CommandResult:
    """Return the comparison of two sides, as `compare` does."""
    sides = _sides(sources)
    with file_of(rows) as path:
        job = CompareJob(
            sides=sides, rows=path, most=most, by=list(dict.fromkeys(by)), output=output, skip_bad=skip_bad, say=say
        )
        compared = job.run()
    named = list(zip(sources, sides, strict=True))
    text = format_comparison(compared, named, width=width)
    return CommandResult(ok=True, text=text, data=comparison_as_dict(compared, named))


def _source(letter: str, given: RecipeSource, overrides: Sequence[str]) -> SideSource:
    if isinstance(given, Mapping):
        return SideSource(letter=letter, path="recipe", overrides=overrides, recipe=given)
    source = SideSource(letter=letter, path=os.fspath(given), overrides=overrides)
    return replace(source, overrides=()) if source.is_scored else source


def _sides(sources: tuple[SideSource, SideSource]) -> tuple[Plan | ScoredFile, Plan | ScoredFile]:
    """Return both sides. Raises a UserError with the problems of both, marked A or B where both name the same file."""
    found: list[Plan | ScoredFile] = []
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
    return found[0], found[1]


def _side(source: SideSource) -> Plan | ScoredFile:
    if source.is_scored:
        return ScoredFile(source.path)
    return make_plan(
        load(source.path if source.recipe is None else source.recipe, source.overrides, strict=False), purpose="score"
    )


def _problems_of_side(side: str, problems: Sequence[Problem], both: Sequence[Problem]) -> list[Problem]:
    return [replace(problem, where=f"{side}{problem.where}") for problem in problems if problem not in both]
