"""A judge measured by the goldens of rubrics: those of a recipe's components, or of one rubric in a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from rewardlab.errors import Problem, UserError
from rewardlab.registry import installed
from rewardlab.text import counted
from rewardlab_training import GoldenScore

JUDGE, COMPONENT = "main", "rubric"
OF_RECIPES = {"version", "extends", "judges", "reward", "stages", "model"}
SUFFIXES = (".yaml", ".yml", ".json")


def recipe_of_rubric(source: Any) -> Mapping[str, Any] | None:
    """Return the recipe by which a rubric in a file is applied, without its judge; None if the file is no rubric.

    Raises UserError if no installed reward takes the rubric.
    """
    if isinstance(source, Mapping) or not str(source).endswith(SUFFIXES):
        return None
    try:
        tree = yaml.safe_load(Path(source).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError):
        return None  # the recipe's reader says what is wrong
    if not isinstance(tree, Mapping | list) or (isinstance(tree, Mapping) and OF_RECIPES & {*tree}):
        return None
    why: list[Problem] = []
    for use, spec in _with_goldens():
        options = {"judge": JUDGE, "rubric": str(source)}
        try:
            spec.config.model_validate(options)
        except ValidationError as error:
            why.append(Problem(where=use, what=error.errors()[0]["msg"].removeprefix("Value error, ")))
        else:
            return {
                "version": 1,
                "reward": {"components": {COMPONENT: {"use": use, "with": options}}, "total": COMPONENT},
            }
    raise UserError([Problem(where=str(source), what="it is no recipe, and no reward takes it as a rubric"), *why])


def _with_goldens() -> list[tuple[str, Any]]:
    """Return each installed reward that has goldens."""
    return [
        (f"{plugin.name}/{name}", spec)
        for plugin in installed()
        for (kind, name), spec in plugin.specs.items()
        if kind == "reward" and getattr(spec, "goldens", None) is not None
    ]


def format_goldens(name: str, use: str, scores: Sequence[GoldenScore]) -> str:
    """Return how many goldens of a component are as they should be, and a line for each that is not."""
    wrong = [score for score in scores if not score.right]
    right = f"{len(scores) - len(wrong)} of {counted(len(scores), 'golden')} as they should be"
    return "\n".join([f"{name} ({use}): {right}", *(f"{score.golden.place}: {score.problem}" for score in wrong)])


def golden_data(scores: Sequence[GoldenScore]) -> list[dict[str, Any]]:
    """Return goldens as JSON values: where each stands, its values, whether they are right, and why not."""
    return [
        {
            "place": score.golden.place,
            "values": [given.value for given in score.scores],
            "right": score.right,
            "problem": None if score.right else score.problem,
        }
        for score in scores
    ]
