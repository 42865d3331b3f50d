"""The options of rubric/appeal."""

import json
import re
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError, model_validator
from rewardlab import Config, RewardSpec, find
from rewardlab.errors import UserError

from rewardlab_rubric.appeals.correction import backward, forward

MAX_VALUE = 10.0
"""of any value, and the most that a correction can give"""
MIN_YOUDEN_J = 0.1
"""of Youden's J, 1 - false_negative - false_positive: below it a correction multiplies what is noise by more than 10"""
Rate = Annotated[float, Field(ge=0, lt=1)]
WHEN = re.compile(r"below (-?(?:[0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}))")


class RuleUse(Config):
    """The reward whose errors are looked for."""

    use: str
    """<plugin>/<name> of a reward of one completion that asks no judge, such as math/accuracy"""
    options: dict[str, Any] = Field(default_factory=dict, alias="with")
    """its options"""
    workers: PositiveInt | None = None
    """for a rule that runs in workers: most processes (absent: the number of cores, 4 at most)"""
    timeout: PositiveFloat | None = None
    """likewise: seconds that one completion may take (absent: the rule's own limit)"""
    memory: PositiveFloat | None = None
    """likewise: GB that one call may add to a process's memory (absent: the rule's own limit)"""
    threads: PositiveInt = 1
    """likewise: math threads of each process"""

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
            return self.spec.config.model_validate_json(json.dumps(self.options), strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            place, problem = ".".join(map(str, ("with", *first["loc"]))), first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{self.use}: {place}: {problem}")

    @property
    def span(self) -> tuple[float, float]:
        """The interval of the rule's values."""
        return self.spec.under(self.config).range

    def check(self) -> None:
        """Raise ValueError that says what is wrong with it."""
        low, high = self.span
        if low < -MAX_VALUE or high > MAX_VALUE:
            raise ValueError(
                f"{self.use} gives {low:g} to {high:g}; appeals are from values of -{MAX_VALUE:g} to {MAX_VALUE:g}"
            )
        of_workers = {key: field for key, field in type(self).model_fields.items() if key not in ("use", "options")}
        given = [key for key, field in of_workers.items() if getattr(self, key) != field.default]
        if self.spec.runs != "worker" and given:
            raise ValueError(f"{self.use} runs in no worker, so that nothing uses `{given[0]}`; leave it out")


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
    when: str = "below 0.5"
    """the values that are a rejection: `below NUMBER`"""
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
    reference: str | None = None
    """the field with the right answer, which the judge is shown (absent: the rule's own `field`, else `answer`; none if
    there is a `criterion`)"""
    criterion: Annotated[str, Field(min_length=1)] | None = None
    """what the judge is asked about a response, for a rule that is not about answers: It is written in French."""
    max_tokens: PositiveInt | None = None
    """the most tokens of the judge's reply, thoughts included; null: the judge's own"""

    @model_validator(mode="after")
    def _check(self) -> "AppealOptions":
        if self.of.spec.judges:
            named = [self.of.options.get(option) for option in self.of.spec.judges]
            own = f"{self.judge!r} itself: an appeal goes to another than it corrects"
            other = "a judge; an appeal is from a rule, and `repeats` is for judges"
            raise ValueError(f"{self.of.use} asks {own if self.judge in named else other}")
        self.of.check()
        low, high = self.of.span
        if WHEN.fullmatch(self.when) is None:
            raise ValueError(f"when: {self.when[:40]!r} should be `below NUMBER`, such as below 0.5")
        if not low < self.bound <= high:
            decided = "none of its values is" if self.bound <= low else "every value of it is"
            raise ValueError(f"when: {self.of.use} gives {low:g} to {high:g}, so that {decided} {self.when}")
        self._check_what_follows()
        return self

    def _check_what_follows(self) -> None:
        if self.then != "correct" and not (self.share or self.audit):
            raise ValueError(f"then: {self.then} with a share of 0 and no audit asks about no response")
        if self.then == "correct" and self.rates is None:
            raise ValueError(
                "then: correct needs rates: {false_negative: .., false_positive: ..}, which `rewardlab appeals` "
                "estimates from what was scored under then: report"
            )
        if self.then != "correct" and (self.rates is not None or self.correction != "backward"):
            raise ValueError(f"then: {self.then} takes nothing off; rates and correction are for then: correct")
        if self.rates is not None and 1 - self.rates.false_negative - self.rates.false_positive < MIN_YOUDEN_J:
            raise ValueError("rates: their sum is above 0.9, and of a rule that errs so often nothing is learnt")

    @property
    def bound(self) -> float:
        """The value below which the rule rejects."""
        match = WHEN.fullmatch(self.when)
        assert match is not None  # as _check wants
        return float(match[1])

    @property
    def shown(self) -> str | None:
        """The field with the right answer that the judge is shown; None if it is shown none."""
        own = getattr(self.of.config, "field", None)
        default = None if self.criterion is not None else own if isinstance(own, str) else "answer"
        return self.reference or default

    @property
    def span(self) -> tuple[float, float]:
        """The interval of the values."""
        return self.of.span if self.rates is None else (self.corrected(False), self.corrected(True))

    def most_calls(self, size: int) -> int:
        """Return the most questions about a group of this size: a share may be all of it, none is none."""
        return size if self.share or self.audit else 0

    def corrected(self, accepted: bool) -> float:
        """Return the value of what the rule accepts or rejects, without the rule's errors."""
        assert self.rates is not None
        if self.correction == "forward":
            return forward(accepted, self.rates.false_negative)
        return backward(accepted, self.rates.false_negative, self.rates.false_positive)
