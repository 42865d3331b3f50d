"""Options that stand at the wrong place in a recipe: `steps=5` is meant for `stages.0.steps`."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewardlab.errors import Problem
from rewardlab.recipe.annotations import RecipePath, keys_of, lookup, mappings
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.other_names import MOVED, our_name
from rewardlab.recipe.validation import UNKNOWN, WEIGHT
from rewardlab.registry.registry import Registry
from rewardlab.specs import Config

MAX_SUGGESTED = 3
NO_MAPPING = "expected a mapping"
"""how a problem begins with an option in the place of a judge or component: `judges.timeout=60`"""
CLOSE, NEXT_TO_EQUAL = 0.8, 0.9
"""how alike (difflib's ratio) two names are of which one is a misspelling: elsewhere, and at its own place"""


def name_places(
    problems: Sequence[Problem], tree: Mapping[str, Any], configs: Mapping[RecipePath, type[Config]]
) -> list[Problem]:
    """Return the problems of a recipe; those about an option at a wrong place say where it belongs.

    configs: the options of each component and of the engine, by their place.
    """
    misplaced = _Misplaced(tree, configs) if problems else None
    return [misplaced.improved(problem) for problem in problems] if misplaced else []


def name_owners(problem: Problem, name: str, registry: Registry) -> Problem:
    """Return a problem about an unknown option of backend `name`, with the installed backends that have it."""
    if len(problem.path) != 2 or not problem.what.startswith(UNKNOWN):
        return problem
    owners = [other for other, spec in registry.backends().items() if problem.path[1] in spec.config.model_fields]
    return replace(problem, what=f"is for {' and '.join(owners)}; {name} has no such option") if owners else problem


class _Misplaced:
    """The places where the options of a recipe and of its components belong."""

    def __init__(self, tree: Mapping[str, Any], configs: Mapping[RecipePath, type[Config]]) -> None:
        self._tree = tree
        self._options: dict[RecipePath, set[str]] = {}
        described: dict[RecipePath, type[Config]] = {(): Recipe, **configs}
        for path, model in described.items():
            for place, inner in mappings(model, lookup(tree, path), path):
                self._options.setdefault(place, set()).update(keys_of(inner))
        self._known = {*configs}

    def improved(self, problem: Problem) -> Problem:
        """Return a problem about an option that is not known where it stands, with the places where it is known."""
        unknown = problem.what.startswith(UNKNOWN) and not problem.what.endswith((WEIGHT, *MOVED.values()))
        places = self._places(problem.path) if unknown or problem.what.startswith(NO_MAPPING) else []
        if not places:
            return problem
        texts = [repr(".".join(map(str, place))) for place in places]
        meant = f"did you mean {' or '.join(texts[:MAX_SUGGESTED])}{', ...' * (len(texts) > MAX_SUGGESTED)}?"
        if not unknown:
            return replace(problem, what=f"{problem.what}; {meant}")
        _, bracket, takes = problem.what.partition(" [")
        return replace(problem, what=f"{UNKNOWN}; {meant}{bracket}{takes}")

    def _places(self, path: RecipePath) -> list[RecipePath]:
        """Return the nearest places for the option at `path`; none if it is a misspelling of one beside it."""
        *around, last = path
        here, name = tuple(around), str(last)
        if path in self._options:
            return [
                place
                for place in self._exact(name)
                if place[: len(here)] == here and len(place) > len(path) and place[: len(path)] != path
            ]
        beside = self._options.get(here, set())
        if our_name(name, beside) or difflib.get_close_matches(name, beside, 1, NEXT_TO_EQUAL):
            return []
        if {"use", "with"} <= beside and (*here, "with") not in self._known:
            return []  # an option of a component that is not installed, most likely
        places = self._named(name) or [place for place in self._exact(name) if place[:-1] != here]
        if not places and not difflib.get_close_matches(name, beside, 1):
            close = difflib.get_close_matches(name, set().union(*self._options.values()), 1, CLOSE)
            places = [place for meant in close for place in self._exact(meant)]
        return self._nearest(places, path)

    def _nearest(self, places: list[RecipePath], path: RecipePath) -> list[RecipePath]:
        """Return those with most of `path` in common: one of the recipe's own, else what is written, or least deep."""
        shared = {place: _shared(place, path) for place in places}
        near = [place for place in places if shared[place] == max(shared.values())]
        written = [place for place in near if isinstance(lookup(self._tree, place[:-1]), dict)]
        top: list[RecipePath] = [place for place in near if len(place) == 1]
        return top or sorted(written, key=len) or [place for place in near if len(place) == min(map(len, near))]

    def _exact(self, name: str) -> list[RecipePath]:
        names = [(place, name if name in keys else our_name(name, keys)) for place, keys in self._options.items()]
        return [(*place, *key.split(".")) for place, key in names if key is not None]

    def _named(self, name: str) -> list[RecipePath]:
        """Return the judges and components of this name, and the stages of this kind."""
        given = [place for place in self._options if place[:-1] in (("judges",), ("reward", "components"))]
        stages = [place for place in self._options if len(place) == 2 and place[0] == "stages"]
        return [place for place in given if place[-1] == name] or [
            place for place in stages if lookup(self._tree, (*place, "use")) == name
        ]


def _shared(recipe_path: RecipePath, other: RecipePath) -> int:
    return next((at for at, (a, b) in enumerate(zip(recipe_path, other, strict=False)) if a != b), len(other))
