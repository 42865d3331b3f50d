"""Orders of samples, and samplers of groups."""

from typing import Any, Literal

from pydantic import Field
from rewardlab import Config, Context, CurriculumSpec, hookimpl
from rewardlab.laws import CurriculumExample, Laws


class ShuffleOptions(Config):
    pass


class BalancedOptions(Config):
    reasoning: str
    """A component of completion or batch scope: how good the reasoning is."""
    answer: str
    """A component of completion or batch scope: how good the answer is."""
    threshold: float = 0.5
    """A value of this or above is correct."""
    exit: Literal["balanced", "positive"] = "balanced"
    """Enough: n / 4 completions with both correct and n / 4 with neither, or (positive) one with both."""
    cap: int = Field(default=64, ge=1)
    """Most completions of a prompt."""
    round: int = Field(default=8, ge=1)
    """Completions sampled at once when there are not enough."""


def _shuffle(options: ShuffleOptions, context: Context) -> Any:
    from rewardlab_curriculum.shuffle import Shuffle

    return Shuffle()


def _balanced(options: BalancedOptions, context: Context) -> Any:
    from rewardlab_curriculum.balanced import Balanced

    return Balanced(options)


def _cap(options: BalancedOptions, size: int) -> int:
    return options.cap


def _shuffle_examples() -> list[CurriculumExample]:
    from rewardlab_curriculum.examples import examples_of_shuffle

    return examples_of_shuffle()


def _balanced_examples() -> list[CurriculumExample]:
    from rewardlab_curriculum.examples import examples_of_balanced

    return examples_of_balanced()


@hookimpl
def rewardlab_curricula() -> list[CurriculumSpec]:
    return [
        CurriculumSpec(
            name="shuffle",
            summary="a random order that depends on the seed and on each sample's id alone",
            config=ShuffleOptions,
            build=_shuffle,
            laws=Laws(examples=_shuffle_examples),
        ),
        CurriculumSpec(
            name="balanced",
            summary="collects completions until right and wrong ones are there, and makes a group of both",
            config=BalancedOptions,
            most=_cap,
            build=_balanced,
            laws=Laws(examples=_balanced_examples),
        ),
    ]
