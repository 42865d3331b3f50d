"""The options of rubric/criteria."""

from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, model_validator
from rewardlab import Config

from rewardlab_rubric.criteria.criteria import Worth
from rewardlab_rubric.criteria.sources import field_with_criteria, known_criteria


class CriteriaOptions(Config):
    """Options of rubric/criteria."""

    judge: Annotated[str, Field(min_length=1)]
    """the judge's name under `judges`"""
    rubric: str | dict[str, Any] | list[Any]
    """a file (YAML or JSON; relative to where the command runs), a list of criteria, {description, criteria, goldens},
    or {field: NAME} if each row has its own"""
    worth: Worth = "linear"
    """the value of the sum of the weights of what is met. linear: its place between the least and the most that it can
    be. clipped: its share of the most, and 0 if it is negative, as benchmarks report"""
    read: Literal["response", "all"] = "response"
    """the judged part. response: the text after the last `</think>`, and nothing of thoughts that do not end. all: the
    whole completion"""
    max_tokens: PositiveInt | None = None
    """the most tokens of the judge's reply, thoughts included; null: the judge's own"""

    @model_validator(mode="after")
    def _check_criteria(self) -> "CriteriaOptions":
        known_criteria(self.rubric, self.worth)
        return self

    @property
    def needs(self) -> list[str]:
        """The fields that each row must have."""
        field = field_with_criteria(self.rubric)
        return [] if field is None else [field]
