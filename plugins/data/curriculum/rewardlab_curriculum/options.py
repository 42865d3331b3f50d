"""The options of the orders and samplers."""

from typing import Any, Literal

from pydantic import Field, model_validator
from rewardlab import Config


class ShuffleOptions(Config):
    """Options of curriculum/shuffle: there are none."""


class FileOrderOptions(Config):
    """Options of curriculum/file_order: there are none."""


class DifficultyOptions(Config):
    """Options of curriculum/difficulty."""

    order: Literal["easy_to_hard", "hard_to_easy", "shuffled"] = "easy_to_hard"
    """Which rows come first; shuffled: any, as in curriculum/shuffle."""
    easier: str | None = "right"
    """A field with a number that is higher for easier rows: how many of its answers a small model got right, as
    rubric/agreeing writes it. null: only the length counts."""
    length: str | None = None
    """A field with a row's length, such as its tokens; of equal rows the longer one is harder. null: the characters of
    prompt and response."""
    first: dict[str, Any] | None = Field(default=None, min_length=1)
    """Rows with these values come before the others, in the same order: {language: en}."""
    again: bool = False
    """Whether the rows that come first stand among the others once more."""

    @model_validator(mode="after")
    def _check(self) -> "DifficultyOptions":
        if self.again and self.first is None:
            raise ValueError("again goes with first, which is absent")
        return self


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
