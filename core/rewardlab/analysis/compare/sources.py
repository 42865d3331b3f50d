"""The sides A and B as they are named: each a recipe or a file that `score` wrote, with its own overrides."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewardlab.errors import Problem, UserError
from rewardlab.recipe.command_line import apart

SCORED = (".jsonl", ".jsonl.gz")
"""how names of scored files end"""
OTHER_SIDE = re.compile("([A-Za-z]):")


@dataclass(frozen=True, kw_only=True)
class SideSource:
    """A side as it is named: a path, and the overrides for this side. recipe: the recipe itself where it is a dict."""

    letter: str
    path: str
    overrides: Sequence[str] = ()
    recipe: Mapping[str, Any] | None = None

    @property
    def is_scored(self) -> bool:
        """Whether the path is a file of scores, not a recipe."""
        return self.path.endswith(SCORED)


def parse_sources(arguments: Sequence[str]) -> tuple[SideSource, SideSource, str | None]:
    """Return (A, B, the file of rows or None). KEY=VALUE is for both, a:KEY=VALUE and b:KEY=VALUE for one.

    A UserError where files are missing, or an override is for a side that was scored before.
    """
    files, overrides = apart(arguments)
    if len(files) not in (2, 3):
        found = f"found {', '.join(files)}" if files else "found none"
        raise UserError(f"two recipes (or scored files) and a file of rows are needed, in this order; {found}")
    _refuse_other_sides(overrides)
    a, b = (_source(letter, path, overrides) for letter, path in zip("ab", files[:2], strict=True))
    _refuse_idle(a, b, overrides)
    rows = files[2] if len(files) == 3 else None
    refuse_missing_rows((a, b), rows is not None)
    return a, b, rows


def refuse_missing_rows(sources: Sequence[SideSource], are_there: bool) -> None:
    """Raise a UserError where a side is to be scored and there are no rows."""
    recipes = [source.path for source in sources if not source.is_scored]
    if recipes and not are_there:
        raise UserError(f"rows are needed to score by {' and '.join(recipes)}; name a file of them after A and B")


def _source(letter: str, path: str, overrides: Sequence[str]) -> SideSource:
    source = SideSource(letter=letter, path=path)
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
            what = f"an override of one side begins with a: or b:{hint}"
            problems.append(Problem(where=f"override {override!r}", what=what))
    if problems:
        raise UserError(problems)


def _refuse_idle(a: SideSource, b: SideSource, overrides: Sequence[str]) -> None:
    """Raise a UserError for overrides that change nothing, which are mistakes."""
    problems = []
    for override in overrides:
        sides = [side for side in (a, b) if _whose(override) in (None, side.letter)]
        if all(side.is_scored for side in sides):
            files = " and ".join(f"{side.letter.upper()} ({side.path})" for side in sides)
            what = f"for {files}, scored before; leave the override out"
            problems.append(Problem(where=f"override {override!r}", what=what))
    if problems:
        raise UserError(problems)
