"""The choice of groups that teach: `reward.teach`, the same for every engine and every trainer."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from rewardlab.specs import Config


class Teach(Config):
    """The choice of groups that teach, by outcome: length and format in a total make no flat group worth training."""

    flat: Literal["keep", "drop", "replace"] = "keep"
    """groups whose outcome is equal for all completions, but for rounding. keep: they train by their totals. drop: they
    are left out of the loss (trl). replace: other prompts take their place (openrlhf, verl)"""
    by: str | None = None
    """the component that is the outcome, in the total or beside it (absent: `reward.correctness`)"""
    between: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    """groups whose mean outcome is not above the first and below the second go the way of flat ones, such as [0, 0.9]:
    prompts that are nearly solved (absent: flat ones alone)"""

    @model_validator(mode="after")
    def _leaves_groups_out(self) -> Self:
        if self.flat == "keep" and (self.by is not None or self.between is not None):
            name = "by" if self.by is not None else "between"
            raise ValueError(f"{name} says which groups are left out, and flat: keep leaves none; use drop or replace")
        if self.between is not None and not self.between[0] < self.between[1]:
            raise ValueError("the first number of `between` must be less than the second")
        return self
