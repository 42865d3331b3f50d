"""The resource level of a language: high, medium or low, by the classes of Joshi et al. 2020."""

from functools import cache
from importlib.resources import files

import yaml

LEVELS = ("low", "low", "low", "medium", "medium", "high")
"""of classes 0 to 5; source: mR3, which calls 5 high, 3 and 4 medium and 0 to 2 low"""


def level_of(language: str) -> str:
    """Return the level of a language by its code, with or without a script or a country; "unknown" if none is known."""
    resource_class = classes().get(language.replace("_", "-").split("-")[0].lower())
    return "unknown" if resource_class is None else LEVELS[resource_class]


@cache
def classes() -> dict[str, int]:
    """Return the class of each language, by its codes of two and of three letters."""
    text = files("rewardlab_measure.judge_benchmarks").joinpath("resource_classes.yaml").read_text(encoding="utf-8")
    tree = yaml.load(text, Loader=yaml.BaseLoader)  # texts alone: `no` is Norwegian
    return {code: int(number) for number, codes in tree["classes"].items() for code in codes.split()}
