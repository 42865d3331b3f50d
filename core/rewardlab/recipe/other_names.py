"""Names of a stage's settings in other trainers, for users who write those by habit; `other_names.json` has them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from rewardlab.recipe.training_stages import Algorithm

_DATA = json.loads(Path(__file__).with_name("other_names.json").read_text(encoding="utf-8"))
OURS: Mapping[str, str] = _DATA["settings"]
"""our setting -> its names elsewhere"""
NAMES_OF_VALUES: Mapping[str, Mapping[str, str]] = _DATA["values"]
"""a setting: our value -> its names elsewhere"""
OTHER_ALGORITHMS: Mapping[str, str] = _DATA["algorithms"]
"""algorithms that are no value of ours -> how a recipe says them"""
MOVED: Mapping[str, str] = _DATA["moved"]
"""a setting under which other trainers, or earlier recipes, say which groups teach -> how a recipe says it"""


def our_value(setting: str, other: str) -> str | None:
    """Return the end of a message about a value of a stage's setting that another trainer has, or another paper."""
    if setting == "algorithm" and (how := OTHER_ALGORITHMS.get(other.lower())):
        return f"; {how}"
    named = NAMES_OF_VALUES.get(setting, {}).items()
    return next((f"; did you mean {value!r}?" for value, others in named if other.lower() in others.split()), None)


def our_name(other: str, known: set[str]) -> str | None:
    """Return our name of a setting, such as "kl.coef"; None if no known setting has that name."""
    called = (setting for setting, others in OURS.items() if other in others.split())
    return next((setting for setting in called if setting.partition(".")[0] in known), None)


def our_stage(other: str) -> str | None:
    """Return how a stage is written whose `use` names an algorithm; None for other names."""
    tidy = other.lower().replace("-", "_").removesuffix("_trainer")
    if tidy in OTHER_ALGORITHMS:
        return f"write use: rl; {OTHER_ALGORITHMS[tidy]}"
    return f"write use: rl, and algorithm: {tidy}" if tidy in get_args(Algorithm) else None
