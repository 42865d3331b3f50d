"""What is right in a recipe that is partly wrong, so that one run names every mistake and invents none."""

import copy
from dataclasses import dataclass
from typing import Any

from rewardlab.errors import Problem
from rewardlab.loading import Document
from rewardlab.recipe import Recipe
from rewardlab.validation import Path, lookup, validate

STAND_INS: dict[tuple, Any] = {
    ("version",): 1,
    ("reward", "total"): "0",
    ("stages", int, "algorithm"): "dr_grpo",
    ("stages", int, "to"): "",
    ("stages", int): {"use": "data", "dataset": {"use": ""}, "to": ""},
}
"""What takes the place of a recipe's parts that cannot be left out; `int` stands for every index."""

SIZES = ("batch_size", "group_size", "updates_per_batch", "micro_batch_size")
RESTS_ON = {"updates_per_batch": SIZES, "micro_batch_size": SIZES, "eval_every": ("eval",)}
"""The options of a stage that what is found about one of them rests on."""


@dataclass(frozen=True)
class Lost:
    """The places of a recipe that are not as the file says: left out, or filled by a stand-in."""

    places: frozenset[Path] = frozenset()

    def stands(self, path: Path) -> bool:
        """Whether what is at `path`, if perhaps not all of it, is from the file."""
        return all(path[: len(place)] != place for place in self.places)

    def is_whole(self, path: Path) -> bool:
        """Whether all that is at `path` is from the file."""
        return self.stands(path) and all(place[: len(path)] != path for place in self.places)

    def is_founded(self, path: Path) -> bool:
        """Whether what a backend finds at `path` rests on what the file says alone."""
        if path[:1] == ("model",):
            return self.is_whole(("model",))
        rests_on = RESTS_ON.get(str(path[-1]), ()) if path[:1] == ("stages",) else ()
        return all(self.is_whole((*path[:2], option)) for option in rests_on)


def read(document: Document) -> tuple[Recipe | None, list[Problem], Lost]:
    """(the recipe, or one of what is right in it; every problem; what is lost)."""
    tree, noted = document.tree, document.problems
    recipe, found = validate(Recipe, tree, document.where)
    unresolved = [p for p in noted if isinstance(text := lookup(tree, p.path), str) and "${" in text]
    lost: frozenset[Path] = frozenset()
    if found or unresolved:
        recipe, lost = _salvage(tree, [*found, *unresolved])
    told = {problem.path for problem in noted if problem.path}
    return recipe, [*noted, *(p for p in found if p.path not in told)], Lost(lost | told)


def _salvage(tree: dict[str, Any], problems: list[Problem]) -> tuple[Recipe | None, frozenset[Path]]:
    """What does not validate is cut out or replaced, a level higher each time; the places where that was."""
    tree = copy.deepcopy(tree)
    lost: set[Path] = set()
    for level in range(4):
        lost |= {_cut(tree, p.path[: max(1, len(p.path) - level)]) for p in problems if p.path}
        recipe, problems = validate(Recipe, tree, str)
        if recipe is not None:
            return recipe, frozenset(lost)
    return None, frozenset(lost)


def _cut(tree: dict[str, Any], path: Path) -> Path:
    """Remove or replace what is at `path`, or the list that it is in; the place that was changed."""
    parent: Any = lookup(tree, path[:-1])
    pattern = tuple(int if isinstance(step, int) else step for step in path)
    if pattern in STAND_INS and isinstance(parent, dict | list):
        last: Any = path[-1]
        parent[last] = copy.deepcopy(STAND_INS[pattern])
    elif isinstance(parent, dict):
        parent.pop(path[-1], None)
    else:  # a list goes whole, for the places of its other items must not move
        return _cut(tree, path[:-1])
    return path
