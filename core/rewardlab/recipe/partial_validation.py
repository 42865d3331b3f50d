"""The valid parts of a recipe that has mistakes, so that one run names every mistake and invents none."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rewardlab.errors import Problem
from rewardlab.recipe.annotations import RecipePath, lookup
from rewardlab.recipe.loading import Document
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.validation import validate
from rewardlab.specs import Config

Pattern = tuple[str | type[int], ...]

STAND_INS: dict[Pattern, Any] = {
    ("version",): 1,
    ("reward", "total"): "0",
    ("stages", int, "algorithm"): "dr_grpo",
    ("stages", int, "to"): "",
    ("stages", int): {"use": "data", "dataset": {"use": ""}, "to": ""},
}
"""Stand-ins for parts of a recipe that cannot be left out; `int` stands for every index."""


@dataclass(frozen=True)
class LostParts:
    """The places of a partly valid recipe that differ from the file: left out, or filled by a stand-in."""

    places: frozenset[RecipePath] = frozenset()

    def stands(self, path: RecipePath) -> bool:
        """Return whether the value at `path` is from the file, at least in part."""
        return not any(path[:length] in self.places for length in range(len(path) + 1))

    def is_whole(self, path: RecipePath) -> bool:
        """Return whether the whole value at `path` is from the file."""
        return self.stands(path) and path not in self._around

    @cached_property
    def _around(self) -> frozenset[RecipePath]:
        """Every place around one that is lost."""
        return frozenset(place[:length] for place in self.places for length in range(len(place)))


def read(document: Document) -> tuple[Recipe | None, list[Problem], LostParts]:
    """Return (the recipe or its valid parts, None if nothing is valid; every problem; the places that are lost)."""
    tree, noted = document.tree, document.problems
    recipe, problems = validate(Recipe, tree, document.where)
    unresolved = [p for p in noted if isinstance(text := lookup(tree, p.path), str) and "${" in text]
    lost: frozenset[RecipePath] = frozenset()
    if problems or unresolved:
        recipe, lost = valid_parts(Recipe, tree, [*problems, *unresolved], STAND_INS)
    reported = {problem.path for problem in noted if problem.path}
    return recipe, [*noted, *(p for p in problems if p.path not in reported)], LostParts(lost | reported)


def valid_parts(
    model: type[Config], tree: dict[str, Any], problems: Sequence[Problem], stand_ins: Mapping[Pattern, Any]
) -> tuple[Any, frozenset[RecipePath]]:
    """Return an instance of the valid parts of a tree that does not validate, and the places that it lacks.

    Each wrong part is cut out or replaced by a stand-in, a level higher each time; the instance is None if nothing
    is left. The problems' paths are places in `tree`.
    """
    tree = copy.deepcopy(tree)
    lost: set[RecipePath] = set()
    for level in range(4):
        lost |= {_cut(tree, p.path[: max(1, len(p.path) - level)], stand_ins) for p in problems if p.path}
        valid, problems = validate(model, tree, str)
        if valid is not None:
            return valid, frozenset(lost)
    return None, frozenset(lost)


def _cut(tree: dict[str, Any], path: RecipePath, stand_ins: Mapping[Pattern, Any]) -> RecipePath:
    """Remove or replace the value at `path`, or the list that it is in; return the place that was changed."""
    parent: Any = lookup(tree, path[:-1])
    pattern: Pattern = tuple(int if isinstance(step, int) else step for step in path)
    if pattern in stand_ins and isinstance(parent, dict | list):
        last: Any = path[-1]
        parent[last] = copy.deepcopy(stand_ins[pattern])
    elif isinstance(parent, dict):
        parent.pop(path[-1], None)
    else:  # remove the whole list, because the places of its other items must not move
        return _cut(tree, path[:-1], stand_ins)
    return path
