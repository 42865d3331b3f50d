"""Signs that a training has diverged, found in the numbers of its steps, whatever engine logged them.

A detector takes the numbers of one logged step after the other and returns what is new. It reads five names:

    loss, grad_norm, kl   of the update; kl only where there is a reference model
    reward/total          mean total of the step's completions
    group/std             mean over the step's groups of the standard deviation of their totals

Three things are signs. A number of the first three that is NaN or infinite. A loss or KL divergence far above its usual
level, for several steps in a row. And a collapsed reward: for many steps in a row, the total has lost what it had
(nearly all of the way from its best down to the least), or all groups are flat well below that best. The thresholds are
`divergence` of a stage in the recipe.
"""

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from rewardlab.recipe.models import Divergence

TOTAL, STD = "reward/total", "group/std"
FATAL = ("loss", "grad_norm")
"""numbers that are never NaN or infinite while there is a model left to train"""
FINITE = (*FATAL, "kl")
LEVELLED = ("loss", "kl")
PEAK_STEPS = 3
"""steps over which the best total is a mean, so that one lucky step is none"""
CLEAR = 0.5
"""a fall counts from this share of the widest spread in groups on: for a reward of 0 and 1, from a share of 0.2"""
UNBOUNDED = 4
"""times as clear must a fall be where nobody knows the least total: a bad stretch has a least one, too"""

Kind = Literal["not finite", "far above", "collapsed"]
Numbers = Mapping[str, float | None]


@dataclass(frozen=True, kw_only=True)
class Sign:
    """One sign of divergence. number: the name of what was logged; usual: what it was compared with, if anything."""

    step: int
    kind: Kind
    number: str
    value: float
    text: str
    """the sign in words, such as "kl is 37, for 3 steps more than 10 times its usual 0.02\""""
    usual: float | None = None

    @property
    def fatal(self) -> bool:
        """Whether no model is left to train."""
        return self.kind == "not finite" and self.number in FATAL


class DivergenceDetector:
    """A stream of numbers in, signs out; each number is told at most once for each kind of sign.

    low: the least total that the recipe's reward can give, where it is known; else the least that was seen stands for
    it, and a fall must be `UNBOUNDED` times as clear.
    """

    def __init__(self, settings: Divergence, low: float | None = None) -> None:
        self._levels = {name: _Level(settings) for name in LEVELLED}
        self._reward = _Reward(settings, low)
        self._told: set[tuple[str, str]] = set()

    def add(self, step: int, numbers: Numbers) -> list[Sign]:
        """Take the numbers of a step, None or absent where there is no value; return the signs that are new."""
        found = []
        for sign in self._signs(step, numbers):
            if (sign.kind, sign.number) not in self._told:
                self._told.add((sign.kind, sign.number))
                found.append(sign)
        return found

    def _signs(self, step: int, numbers: Numbers) -> Iterator[Sign]:
        for name in FINITE:
            value = numbers.get(name)
            if value is not None and not math.isfinite(value):
                yield Sign(step=step, kind="not finite", number=name, value=value, text=f"{name} is {value}")
        for name, level in self._levels.items():
            value = numbers.get(name)
            if value is not None and math.isfinite(value) and (text := level.add(value)):
                text = f"{name} {text}"
                yield Sign(step=step, kind="far above", number=name, value=value, text=text, usual=level.usual)
        total, std = numbers.get(TOTAL), numbers.get(STD)
        if total is None or std is None or not math.isfinite(total + std):
            return
        if text := self._reward.add(total, std):
            text, best = f"{TOTAL} {text}", self._reward.best
            yield Sign(step=step, kind="collapsed", number=TOTAL, value=total, text=text, usual=best)


class _Level:
    """The usual level of a number: the median of the absolute values of its last calm steps.

    A step that is far above does not count for it, so an explosion does not become usual.
    """

    def __init__(self, settings: Divergence) -> None:
        self._settings = settings
        self._calm: deque[float] = deque(maxlen=settings.window)
        self._far = 0

    @property
    def usual(self) -> float:
        if len(self._calm) >= self._settings.history:
            return median(self._calm)
        return max(self._calm)

    def add(self, value: float) -> str:
        """Take a finite value; return what is wrong, "" where nothing is."""
        if self._calm and value > max(self._settings.least, self._settings.times * self.usual):
            self._far += 1
            if self._far < self._settings.lasting:
                return ""
            many = f"{self._far} steps" if self._far > 1 else "a step"
            return f"is {value:.4g}, far above its usual {self.usual:.4g} for {many}"
        self._far = 0
        self._calm.append(abs(value))
        return ""


class _Reward:
    """The mean total and the spread in groups, and whether they have collapsed."""

    def __init__(self, settings: Divergence, low: float | None) -> None:
        self._settings = settings
        self._bounded = low is not None
        self._low = math.inf if low is None else low
        self._recent: deque[tuple[float, float]] = deque(maxlen=PEAK_STEPS)
        self._widest = 0.0
        self._fallen = 0
        self.best = -math.inf

    def add(self, total: float, std: float) -> str:
        """Take a step's mean total and spread; return what is wrong, "" where nothing is."""
        self._recent.append((total, std))
        self.best = max(self.best, fmean(value for value, _ in self._recent))
        self._widest = max(self._widest, fmean(spread for _, spread in self._recent))
        self._low = min(self._low, total)
        how = self._how(total, std)
        self._fallen = self._fallen + 1 if how else 0
        return f"has been {how} for {self._fallen} steps" if how and self._fallen >= self._settings.collapse else ""

    def _how(self, total: float, std: float) -> str:
        """Return where the reward has fallen to, "" where it has not."""
        clear = CLEAR * self._widest
        if clear == 0:  # no group has ever had a difference
            return ""
        depth = self.best - self._low
        is_deep = depth >= (clear if self._bounded else UNBOUNDED * clear)
        if is_deep and total - self._low <= depth * (1 - self._settings.lost):
            return f"next to {self._low:.4g} after {self.best:.4g}"
        if std <= 0 and self.best - total >= clear:
            return f"at {total:.4g} after {self.best:.4g}, with no difference in any group,"
        return ""
