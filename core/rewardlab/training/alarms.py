"""Alarms: signs in the numbers of a training's steps that something is wrong, whatever engine logged them.

An alarm is data, a row of `ALARMS`: the numbers that it looks at, its condition, and what it says. All of today's are
signs that a training has diverged, with thresholds from `divergence` of the stage. They read

    loss, grad_norm, kl   of the update; kl only if there is a reference model
    reward/total          mean total of the step's completions
    group/std             mean over the step's groups of the standard deviation of their totals
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Protocol

from rewardlab.recipe.training_stages import Divergence

TOTAL, STD = "reward/total", "group/std"
PEAK_STEPS = 3
"""steps over which the best total is a mean, so that one lucky step is none"""
CLEAR = 0.5
"""a fall counts from this share of the widest spread in groups on: for a reward of 0 and 1, from a share of 0.2"""
UNBOUNDED = 4
"""times as clear must a fall be if nobody knows the least total: a bad stretch has a least one, too"""
LOWER_RATE = "lower the learning rate, or raise warmup_steps"
READ_COMPLETIONS = "read the last completions in report.html; a lower learning rate or a kl.coef keeps a policy nearer"

Numbers = Mapping[str, float | None]


def finite(value: object) -> float | None:
    """Return a number as JSON has it: None if the value is NaN, infinite or not a number."""
    return value if isinstance(value, float | int) and math.isfinite(value) else None


class Condition(Protocol):
    """A condition of an alarm: it takes one number of each step."""

    @property
    def usual(self) -> float | None:
        """What the number was compared with, if anything."""

    def add(self, value: float, numbers: Numbers) -> str:
        """Take the number, and the others of the same step; return what is wrong with it, "" if nothing is."""


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """An alarm. metrics: the numbers that it looks at, each by itself. says: what it means for a stage.

    condition: makes the condition for one of the numbers, from the stage's thresholds and the least total that the
    recipe's reward can give, None if nobody knows it. ends: the metrics of which it ends the stage in any case, since
    no model is left to train.
    """

    name: str
    metrics: Sequence[str]
    condition: Callable[[Divergence, float | None], Condition]
    advice: str
    says: str = "has diverged"
    ends: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Sign:
    """An alarm that went off. number: the name of what was logged; usual: what it was compared with, if anything."""

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


class AlarmDetector:
    """A stream of numbers in, signs out; each number is reported at most once for each alarm.

    low: the least total that the recipe's reward can give; None if nobody knows it.
    """

    def __init__(self, settings: Divergence, low: float | None = None) -> None:
        self._watched = [(alarm, name, alarm.condition(settings, low)) for alarm in ALARMS for name in alarm.metrics]
        self._told: set[tuple[str, str]] = set()

    def add(self, step: int, numbers: Numbers) -> list[Sign]:
        """Take the numbers of a step, None or absent if there is no value; return the signs that are new."""
        found = []
        for sign in self._signs(step, numbers):
            if (sign.alarm.name, sign.number) not in self._told:
                self._told.add((sign.alarm.name, sign.number))
                found.append(sign)
        return found

    def _signs(self, step: int, numbers: Numbers) -> Iterator[Sign]:
        for alarm, name, condition in self._watched:
            value = numbers.get(name)
            if value is not None and (text := condition.add(value, numbers)):
                usual = condition.usual
                yield Sign(alarm=alarm, step=step, number=name, value=value, text=f"{name} {text}", usual=usual)


class _NotFinite:
    """A number that is NaN or infinite."""

    usual = None

    def __init__(self, settings: Divergence, low: float | None) -> None:
        pass

    def add(self, value: float, numbers: Numbers) -> str:
        return "" if math.isfinite(value) else f"is {value}"


class _FarAbove:
    """A number far above its usual level, the median of the absolute values of its last calm steps.

    A step that is far above does not count for it, so an explosion does not become usual.
    """

    def __init__(self, settings: Divergence, low: float | None) -> None:
        self._settings = settings
        self._calm: deque[float] = deque(maxlen=settings.window)
        self._far = 0

    @property
    def usual(self) -> float:
        if len(self._calm) >= self._settings.history:
            return median(self._calm)
        return max(self._calm)

    def add(self, value: float, numbers: Numbers) -> str:
        if not math.isfinite(value):
            return ""
        if self._calm and value > max(self._settings.least, self._settings.times * self.usual):
            self._far += 1
            if self._far < self._settings.lasting:
                return ""
            many = f"{self._far} steps" if self._far > 1 else "a step"
            return f"is {value:.4g}, far above its usual {self.usual:.4g} for {many}"
        self._far = 0
        self._calm.append(abs(value))
        return ""


class _Collapsed:
    """A mean total that has lost what it had, nearly down to the least, or is flat in all groups well below its best.

    Without a known least total the least that was seen stands for it, and a fall must be `UNBOUNDED` times as clear.
    """

    def __init__(self, settings: Divergence, low: float | None) -> None:
        self._settings = settings
        self._bounded = low is not None
        self._low = math.inf if low is None else low
        self._recent: deque[tuple[float, float]] = deque(maxlen=PEAK_STEPS)
        self._widest = 0.0
        self._fallen = 0
        self.usual = -math.inf
        """the best total"""

    def add(self, total: float, numbers: Numbers) -> str:
        std = numbers.get(STD)
        if std is None or not math.isfinite(total + std):
            return ""
        self._recent.append((total, std))
        self.usual = max(self.usual, fmean(value for value, _ in self._recent))
        self._widest = max(self._widest, fmean(spread for _, spread in self._recent))
        self._low = min(self._low, total)
        how = self._how(total, std)
        self._fallen = self._fallen + 1 if how else 0
        return f"has been {how} for {self._fallen} steps" if how and self._fallen >= self._settings.collapse else ""

    def _how(self, total: float, std: float) -> str:
        """Return where the reward has fallen to, "" if it has not."""
        clear = CLEAR * self._widest
        if clear == 0:  # no group has ever had a difference
            return ""
        depth = self.usual - self._low
        is_deep = depth >= (clear if self._bounded else UNBOUNDED * clear)
        if is_deep and total - self._low <= depth * (1 - self._settings.lost):
            return f"next to {self._low:.4g} after {self.usual:.4g}"
        if std <= 0 and self.usual - total >= clear:
            return f"at {total:.4g} after {self.usual:.4g}, with no difference in any group,"
        return ""


ALARMS = (
    Alarm(
        name="not finite",
        metrics=("loss", "grad_norm", "kl"),
        condition=_NotFinite,
        advice=LOWER_RATE,
        ends=("loss", "grad_norm"),
    ),
    Alarm(name="far above", metrics=("loss", "kl"), condition=_FarAbove, advice=LOWER_RATE),
    Alarm(name="collapsed", metrics=(TOTAL,), condition=_Collapsed, advice=READ_COMPLETIONS),
)
WATCHED = dict.fromkeys((*(name for alarm in ALARMS for name in alarm.metrics), STD))
"""the numbers that alarms read"""
