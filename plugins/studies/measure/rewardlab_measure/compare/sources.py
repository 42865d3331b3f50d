"""The sides A and B as they are named: each a recipe or a file that `score` wrote, with its own overrides."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewardlab.errors import Problem, UserError
from rewardlab.recipe import RecipeSource

SCORED = (".jsonl", ".jsonl.gz")
"""how names of scored files end"""
OTHER_SIDE = re.compile("([A-Za-z]):")


@dataclass(frozen=True, kw_only=True)
class SideSource:
    """A side as it is named: a path, and the overrides for this side. recipe: the recipe itself if it is a dict."""

    letter: str
    path: str
    overrides: Sequence[str] = ()
    recipe: Mapping[str, Any] | None = None

    @property
    def is_scored(self) -> bool:
        """Whether the path is a file of scores, not a recipe."""
        return self.path.endswith(SCORED)


def parse_sides(
    a: RecipeSource, b: RecipeSource, overrides: Sequence[str], rows_are_there: bool
) -> tuple[SideSource, SideSource]:
    """Return both sides. KEY=VALUE is for both, a:KEY=VALUE and b:KEY=VALUE for one.

    A UserError if a side is to be scored and there are no rows, or an override is for a side that was scored before.
    """
    _refuse_other_sides(overrides)
    sides = _source("a", a, overrides), _source("b", b, overrides)
    _refuse_idle(*sides, overrides)
    recipes = [side.path for side in sides if not side.is_scored]
    if recipes and not rows_are_there:
        raise UserError(f"rows are needed to score by {' and '.join(recipes)}; name a file of them after A and B")
    return sides


def _source(letter: str, given: RecipeSource, overrides: Sequence[str]) -> SideSource:
    tree = given if isinstance(given, Mapping) else None
    source = SideSource(letter=letter, path="recipe" if isinstance(given, Mapping) else os.fspath(given), recipe=tree)
    if source.is_scored:
        return source
    own = [override.removeprefix(f"{letter}:") for override in overrides if _whose(override) in (None, letter)]
    return replace(source, overrides=own)


def _whose(override: str) -> str | None:
    """Return the letter of the side that an override is for; None for both."""
    return override[0] if override[:2] in ("a:", "b:") else None


def _refuse_other_sides(overrides: Sequence[str]) -> None:
    problems = []
    for override in overrides:
        if (other := OTHER_SIDE.match(override)) and _whose(override) is None:
            fold = other[1].lower()
            hint = f"; did you mean {fold}:{override[2:]}?" if fold in ("a", "b") else ""
            problem = f"an override of one side begins with a: or b:{hint}"
            problems.append(Problem(where=f"override {override!r}", what=problem))
    if problems:
        raise UserError(problems)


def _refuse_idle(a: SideSource, b: SideSource, overrides: Sequence[str]) -> None:
    """Raise a UserError for overrides that change nothing, which are mistakes."""
    problems = []
    for override in overrides:
        sides = [side for side in (a, b) if _whose(override) in (None, side.letter)]
        if all(side.is_scored for side in sides):
            files = " and ".join(f"{side.letter.upper()} ({side.path})" for side in sides)
            problem = f"for {files}, scored before; leave the override out"
            problems.append(Problem(where=f"override {override!r}", what=problem))
    if problems:
        raise UserError(problems)
