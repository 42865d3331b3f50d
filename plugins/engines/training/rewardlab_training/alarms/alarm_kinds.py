"""Alarms: signs in the numbers of a training's steps that something is wrong, whatever engine logged them.

An alarm is data, a row of `ALARMS`: the numbers that it looks at, its condition, and what it says. Whether anything
ends is the recipe's policy (`alarms`, `on_divergence`) and never a condition's. They read

    loss, grad_norm, kl, entropy   of the update, as far as the engine logs them
    what `metrics_of_step` makes of the step's groups
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rewardlab.recipe import AlarmName

from rewardlab_training.alarms.alarm_settings import AlarmSettings
from rewardlab_training.alarms.divergence_conditions import STD, Collapsed, FarAbove, NotFinite
from rewardlab_training.alarms.score_conditions import (
    LENGTH,
    LENGTH_TOTAL,
    REWARD,
    Dead,
    Entropy,
    FailedRollouts,
    GrowingLength,
    Missing,
    MostlyFlat,
    PositionBias,
    RewardHacking,
    Saturated,
    Unparsable,
)
from rewardlab_training.alarms.series import Numbers

TOTAL, FLAT = "reward/total", "reward/groups_without_variance"
LOWER_RATE = "lower the learning rate, or raise warmup_steps"
READ_COMPLETIONS = "read the last completions in report.html; a lower learning rate or a kl.coef keeps a policy nearer"
READ_JUDGE = "read the judge's last replies in report.html"


class Condition(Protocol):
    """A condition of an alarm: it takes one number of each step."""

    @property
    def usual(self) -> float | None:
        """The number that it was compared with, if any."""

    def add(self, value: float, numbers: Numbers) -> str:
        """Take the number, and the others of the same step; return what is wrong with it, "" if nothing is."""


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """An alarm.

    Args:
        name: the recipe's word for it.
        variant: what it found, if several alarms share the name.
        metrics: the numbers that it looks at, each by itself; one that ends in "/" stands for those of all
            components.
        condition: makes the condition for one of the numbers.
        meaning: what it means for a stage, as the rest of a sentence about it.
        ends: the metrics of which it ends the stage in any case, since no model is left to train.
    """

    name: AlarmName
    variant: str = ""
    metrics: Sequence[str]
    condition: Callable[[str, AlarmSettings], Condition]
    meaning: str
    advice: str
    ends: Sequence[str] = ()

    @property
    def kind(self) -> str:
        """The name of what it found, by which it is known in files."""
        return self.variant or self.name

    def reads(self, number: str) -> bool:
        """Return whether it looks at a number."""
        return any(
            number == metric or (metric.endswith("/") and number.startswith(metric) and number != FLAT)
            for metric in self.metrics
        )


@dataclass(frozen=True, kw_only=True)
class Sign:
    """An alarm that went off.

    Args:
        number: the name of what was logged.
        usual: what it was compared with, if anything.
    """

    alarm: Alarm
    step: int
    number: str
    value: float
    text: str
    """the sign in words, such as "kl is 37, for 3 steps more than 10 times its usual 0.02\""""
    usual: float | None = None

    @property
    def fatal(self) -> bool:
        """Whether no model is left to train."""
        return self.number in self.alarm.ends

    @property
    def component(self) -> str | None:
        """The component that it is about; None if it is about all of the training."""
        if not any(self.number.startswith(metric) for metric in self.alarm.metrics if metric.endswith("/")):
            return None
        return self.number.partition("/")[2]


class AlarmDetector:
    """A stream of numbers in, signs out; each number is reported at most once for each alarm."""

    def __init__(self, settings: AlarmSettings) -> None:
        self._settings = settings
        self._watched: dict[str, list[tuple[Alarm, Condition]]] = {}
        self._reported: set[tuple[str, str]] = set()

    def add(self, step: int, numbers: Numbers) -> list[Sign]:
        """Take the numbers of a step, None or absent if there is no value; return the signs that are new."""
        signs = []
        for sign in self._signs(step, numbers):
            if (sign.alarm.kind, sign.number) not in self._reported:
                self._reported.add((sign.alarm.kind, sign.number))
                signs.append(sign)
        return signs

    def _signs(self, step: int, numbers: Numbers) -> Iterator[Sign]:
        for name, value in numbers.items():
            if value is None:
                continue
            for alarm, condition in self._conditions(name):
                if text := condition.add(value, numbers):
                    usual = condition.usual
                    yield Sign(alarm=alarm, step=step, number=name, value=value, text=text, usual=usual)

    def _conditions(self, name: str) -> list[tuple[Alarm, Condition]]:
        if name not in self._watched:
            watching = [alarm for alarm in ALARMS if alarm.reads(name)]
            self._watched[name] = [(alarm, alarm.condition(name, self._settings)) for alarm in watching]
        return self._watched[name]


def is_watched(number: str) -> bool:
    """Return whether an alarm reads a number."""
    return number in (STD, LENGTH_TOTAL) or any(alarm.reads(number) for alarm in ALARMS)


DIVERGED = "has diverged"
ALARMS = (
    Alarm(
        variant="not finite",
        name="divergence",
        metrics=("loss", "grad_norm", "kl"),
        condition=NotFinite,
        meaning=DIVERGED,
        advice=LOWER_RATE,
        ends=("loss", "grad_norm"),
    ),
    Alarm(
        variant="far above",
        name="divergence",
        metrics=("loss", "kl"),
        condition=FarAbove,
        meaning=DIVERGED,
        advice=LOWER_RATE,
    ),
    Alarm(
        variant="collapsed",
        name="divergence",
        metrics=(TOTAL,),
        condition=Collapsed,
        meaning=DIVERGED,
        advice=READ_COMPLETIONS,
    ),
    Alarm(
        name="flat_groups",
        metrics=(FLAT,),
        condition=MostlyFlat,
        meaning="learns next to nothing",
        advice="take prompts of another difficulty, a finer reward, or a sampler that waits for differences",
    ),
    Alarm(
        name="dead",
        metrics=("varied/",),
        condition=Dead,
        meaning="has a dead component",
        advice="read its last scores in report.html; nothing is learned from it",
    ),
    Alarm(
        name="saturated",
        metrics=("varied/",),
        condition=Saturated,
        meaning="has a saturated component",
        advice="nothing is learned from it any more",
    ),
    Alarm(
        name="reward_hacking",
        metrics=(REWARD,),
        condition=RewardHacking,
        meaning="may be hacking its reward",
        advice="read the last completions in report.html, and probe the component",
    ),
    Alarm(
        name="length",
        metrics=(LENGTH,),
        condition=GrowingLength,
        meaning="is rewarded for length",
        advice="read the longest completions in report.html; format/overlong deducts more the longer they are",
    ),
    Alarm(
        name="position_bias",
        metrics=("position_bias/",),
        condition=PositionBias,
        meaning="has a judge that goes by position",
        advice="ask in both orders, `orders: both`, or take another judge",
    ),
    Alarm(
        name="missing",
        metrics=("missing/",),
        condition=Missing,
        meaning="loses scores",
        advice="the ledger has each failure's reason",
    ),
    Alarm(
        variant="failed rollouts",
        name="missing",
        metrics=("rollout/failed",),
        condition=FailedRollouts,
        meaning="loses rollouts",
        advice="the ledger has each one's `error`",
    ),
    Alarm(
        name="unparsable",
        metrics=("unparsable/",),
        condition=Unparsable,
        meaning="has a judge without verdicts",
        advice=READ_JUDGE,
    ),
    Alarm(
        name="entropy",
        metrics=("entropy",),
        condition=Entropy,
        meaning="has lost its entropy",
        advice="a higher upper clip, a higher temperature or a kl.coef keeps a policy exploring",
    ),
)
