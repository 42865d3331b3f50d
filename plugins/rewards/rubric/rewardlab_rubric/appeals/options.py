"""The options of rubric/appeal."""

import re
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, ValidationError, model_validator
from rewardlab import Config, RewardSpec, find
from rewardlab.errors import UserError

from rewardlab_rubric.appeals.correction import backward, forward

LEAST = 0.1
"""of 1 - false_negative - false_positive: below it a correction multiplies what is noise by more than 10"""
Rate = Annotated[float, Field(ge=0, lt=1)]
WHEN = re.compile(r"^below (-?(?:[0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}))$")


class RuleUse(Config):
    """The reward whose errors are looked for."""

    use: str
    """<plugin>/<name> of a reward of one completion that asks no judge, such as math/accuracy"""
    options: dict[str, Any] = Field(default_factory=dict, alias="with")
    """its options"""

    @cached_property  # rows ask for both, three times each
    def spec(self) -> RewardSpec:
        """Its spec. Raises ValueError if there is none, or appeals do not go with it."""
        try:
            spec = find("reward", self.use)
        except UserError as error:
            raise ValueError(str(error)) from None
        assert isinstance(spec, RewardSpec)
        if spec.scope != "completion" or spec.environment is not None or spec.opens_workers:
            raise ValueError(f"{self.use} is no rule: appeals are for rewards of one completion that need no model")
        return spec

    @cached_property
    def config(self) -> Any:
        """Its options, validated. Raises ValueError that says what is wrong with them."""
        try:
            return self.spec.config.model_validate(self.options)
        except ValidationError as error:
            first = error.errors()[0]
            place, problem = ".".join(map(str, ("with", *first["loc"]))), first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{self.use}: {place}: {problem}")


class RuleRates(Config):
    """How often a rule is wrong."""

    false_negative: Rate
    """P(rejected | right)"""
    false_positive: Rate = 0.0
    """P(accepted | wrong)"""


class AppealOptions(Config):
    """Options of rubric/appeal."""

    of: RuleUse
    """the rule: {use: math/accuracy, with: {...}}"""
    judge: Annotated[str, Field(min_length=1)]
    """the judge under `judges` that looks again"""
    when: Annotated[str, Field(pattern=WHEN.pattern)] = "below 0.5"
    """the values that are a rejection"""
    share: Annotated[float, Field(ge=0, le=1)] = 1.0
    """of the rejected responses, those that the judge is asked about; a response's text decides. Under `correct` it
    changes no value, and serves to see whether `rates` still hold"""
    audit: Annotated[float, Field(ge=0, le=1)] = 0.0
    """likewise of the accepted ones; 0: the rule's false-positive rate stays unknown"""
    then: Literal["replace", "correct", "report"] = "replace"
    """replace: the judge's verdict is the value where it was asked. correct: every value is the rule's without its
    errors, on average. report: the rule's value stays"""
    correction: Literal["backward", "forward"] = "backward"
    """correct: an unbiased reward, or the weights that need the false-negative rate alone; see docs/rubrics.md"""
    rates: RuleRates | None = None
    """correct: the rule's errors, as `rewardlab appeals` estimates them from rows that were scored under `report` or
    `replace`"""
    reference: str = "answer"
    """the field with the right answer, which the judge is shown"""
    max_tokens: PositiveInt | None = None
    """the most tokens of the judge's reply, thoughts included; null: the judge's own"""

    @model_validator(mode="after")
    def _check(self) -> "AppealOptions":
        named = [self.of.options.get(option) for option in self.of.spec.judges]
        if self.judge in named:
            raise ValueError(f"{self.of.use} asks {self.judge!r} itself: an appeal goes to another than it corrects")
        if self.of.spec.judges:
            raise ValueError(f"{self.of.use} asks a judge; an appeal is from a rule, and `repeats` is for judges")
        self.of.config  # noqa: B018  # says what is wrong with it
        if (self.then == "correct") != (self.rates is not None):
            raise ValueError("then: correct needs rates, the rule's errors, and nothing else has them")
        if self.rates is not None and 1 - self.rates.false_negative - self.rates.false_positive < LEAST:
            raise ValueError("rates: their sum is above 0.9, and of a rule that errs so often nothing is learnt")
        return self

    @property
    def bound(self) -> float:
        """The value below which the rule rejects."""
        match = WHEN.fullmatch(self.when)
        assert match is not None  # as the pattern wants
        return float(match[1])

    @property
    def span(self) -> tuple[float, float]:
        """The interval of the values."""
        if self.rates is None:
            low, high = self.of.spec.under(self.of.config).range
            return (min(low, 0.0), max(high, 1.0)) if self.then == "replace" else (low, high)
        return self.corrected(False), self.corrected(True)

    def corrected(self, accepted: bool) -> float:
        """Return the value of what the rule accepts or rejects, without the rule's errors."""
        assert self.rates is not None
        if self.correction == "forward":
            return forward(accepted, self.rates.false_negative)
        return backward(accepted, self.rates.false_negative, self.rates.false_positive)
