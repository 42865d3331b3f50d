"""The options of the orders and samplers."""

from typing import Literal

from pydantic import Field
from rewardlab import Config


class ShuffleOptions(Config):
    """Options of curriculum/shuffle: there are none."""


class BalancedOptions(Config):
    """Options of curriculum/balanced."""

    reasoning: str
    """The component, of completion or batch scope, that says how good the reasoning is."""
    answer: str
    """The component, of completion or batch scope, that says how good the answer is."""
    threshold: float = 0.5
    """A value of at least this is correct."""
    exit: Literal["balanced", "positive"] = "balanced"
    """When there are enough completions. balanced: n / 4 with both correct and n / 4 with neither; positive: one with
    both."""
    cap: int = Field(default=64, ge=1)
    """The most completions of a prompt."""
    round: int = Field(default=8, ge=1)
    """Completions sampled at once when there are not enough."""
