"""Options of the rewards for costs."""

from typing import Annotated, Self

from pydantic import Field, NonNegativeFloat, PositiveFloat, model_validator
from rewardlab import Config


class CostOptions(Config):
    """Options of rollout/tokens, rollout/seconds and rollout/tool_calls."""

    most: PositiveFloat
    """amount from which on the value is the lowest"""
    free: NonNegativeFloat = 0.0
    """amount up to which nothing is deducted"""
    worst: Annotated[float, Field(gt=0, le=1)] = 1.0
    """the deduction at `most`: values are from minus this to 0"""

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if self.free >= self.most:
            raise ValueError(f"free is not less than most, {self.most:g}")
        return self
