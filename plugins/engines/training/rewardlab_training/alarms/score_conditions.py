"""The conditions of alarms about scores, lengths and judges: each takes one number of each step, and remembers.

A number is only compared with earlier ones of the same run. None that is NaN or infinite counts.
"""

import math
from collections import deque
from collections.abc import Sequence
from statistics import StatisticsError, correlation, fmean, linear_regression, median
from typing import ClassVar

from rewardlab_training.alarms.alarm_settings import AlarmSettings
from rewardlab_training.alarms.series import Numbers, Shift, finite, kept, moves, noise_of, shift

REWARD, TOTAL, LENGTH, LENGTH_TOTAL = "reward/", "total", "length/mean", "length/total"
NEAR_TOP = 0.1
"""share of the total's range: flat groups that are this near to the top are solved"""
MIN_RISE = 3.0
"""standard errors by which a component must have risen, or correctness for growing lengths to be sound"""
MIN_FALL = 1.0
"""standard errors by which correctness must have fallen if inside of groups it agrees less with the component"""
ALONE = 1.25
"""times `drift` must correctness have fallen if nothing inside of groups says so, too"""
FOLLOWED = 0.8
"""correlation, from step to step, of a component that follows correctness"""
PARTED = 1.5
"""times what a step differs by itself, by which a component must have grown away from correctness"""
USUAL = 0.85
"""share of steps whose missing values are usual: the others were outages"""
MIN_CORRELATION = 0.1
"""of length and total: longer completions get more"""


class ScoreCondition:
    """A condition about numbers of scores. name: the number's, such as "reward/accuracy"."""

    usual: float | None = None

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        self._name, self._settings, self._levels = name, settings, settings.levels
        self._component = name.partition("/")[2]
        self._steps = settings.levels.steps
        self._series: deque[float] = deque(maxlen=kept(self._steps))

    def add(self, value: float, numbers: Numbers) -> str:
        """Take the number, and the others of the same step; return what is wrong with it, "" if nothing is."""
        if not math.isfinite(value):
            return ""
        self._series.append(value)
        return self._wrong(numbers)

    def _wrong(self, numbers: Numbers) -> str:
        raise NotImplementedError

    def _last(self, steps: int) -> Sequence[float]:
        """Return the last numbers; none if there are not so many."""
        return list(self._series)[-steps:] if len(self._series) >= steps else ()


class MostlyFlat(ScoreCondition):
    """Nearly all groups are flat, so that nothing is learned, and not because all is solved."""

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        super().__init__(name, settings)
        self._window = settings.steps_of_enough_groups(self._steps)
        self._series = deque(maxlen=self._window)
        # without known bounds those that were seen
        self._low = math.inf if settings.low is None else settings.low
        self._high = -math.inf if settings.high is None else settings.high
        self._total = -math.inf

    def add(self, value: float, numbers: Numbers) -> str:
        total = finite(numbers.get("reward/total"))
        if total is not None:
            self._total, self._low, self._high = total, min(total, self._low), max(total, self._high)
        return super().add(value, numbers)

    def _wrong(self, numbers: Numbers) -> str:
        last = self._last(self._window)
        if not last or not self._settings.grouped or fmean(last) < self._levels.flat_groups or self._is_solved():
            return ""
        return f"{fmean(last):.0%} of groups have had no difference in {len(last)} steps"

    def _is_solved(self) -> bool:
        """Return whether the total is next to its top; one that was never another one is not."""
        return self._high - self._total <= NEAR_TOP * (self._high - self._low) and self._high > self._low


class _Still(ScoreCondition):
    """A component that has told completions of a prompt apart, and tells none apart any more."""

    at_top: ClassVar[bool]

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        super().__init__(name, settings)
        self._means: deque[float] = deque(maxlen=self._steps)
        self._top = settings.tops.get(self._component)
        self._most = -math.inf

    def add(self, value: float, numbers: Numbers) -> str:
        mean = finite(numbers.get(f"{REWARD}{self._component}"))
        if mean is None:  # nothing has a value
            return ""
        self._means.append(mean)
        self._most = max(self._most, mean)
        return super().add(value, numbers)

    def _wrong(self, numbers: Numbers) -> str:
        last = self._last(self._steps)
        if last:
            self.usual = max(self.usual or 0.0, fmean(last))
        if not last or any(last) or (self.usual or 0.0) < self._levels.dead:
            return ""
        level, top = fmean(self._means), self._most if self._top is None else self._top
        if (level >= top - 1e-9 * max(1.0, abs(top))) != self.at_top:
            return ""
        return (
            f"{self._component} has told no two completions of a prompt apart for {len(last)} steps, at {level:.4g}, "
            f"after {self.usual:.0%} of groups"
        )


class Dead(_Still):
    """A component that has died below its most."""

    at_top = False


class Saturated(_Still):
    """A component that gives its most to all."""

    at_top = True


class RewardHacking(ScoreCondition):
    """A component, or the total, that rises while correctness falls, or a component that rises away from it."""

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        super().__init__(name, settings)
        self._right: deque[float] = deque(maxlen=kept(self._steps))
        self._agreement: deque[float] = deque(maxlen=kept(self._steps))

    def add(self, value: float, numbers: Numbers) -> str:
        name = self._settings.correctness
        right = None if name is None or name == self._component else finite(numbers.get(f"{REWARD}{name}"))
        if right is None or not math.isfinite(value):
            return ""
        self._right.append(right)
        agreement = finite(numbers.get(f"agreement/{self._component}"))
        self._agreement.extend(() if agreement is None else [agreement])
        return super().add(value, numbers)

    def _wrong(self, numbers: Numbers) -> str:
        rise, fall = (shift(list(series), self._steps) for series in (self._series, self._right))
        if rise is None or fall is None or rise.errors < MIN_RISE:
            return ""
        agrees = shift(list(self._agreement), self._steps)
        less = 0.0 if agrees is None else -agrees.errors
        name = self._settings.correctness
        rises, moved = f"{self._component} rises ({_moved(rise)})", f"({_moved(fall)})"
        # one that agrees as before may rise beside the hack
        if self._falls(fall, less, self._component != TOTAL and agrees is not None and less < self._levels.drift / 2):
            how = f"{rises} while {name} falls {moved}"
        elif (agrees is None or less >= self._levels.drift) and self._has_parted(fall):
            how = f"{rises} away from {name} {moved}, which it has followed"
        else:
            return ""
        self.usual = rise.then
        return how

    def _falls(self, right: Shift, less: float, beside: bool) -> bool:
        """Return whether correctness falls: a little if the component agrees `less` with it, and else steeply."""
        if right.errors > -MIN_FALL:
            return False
        return less >= self._levels.drift or (not beside and right.errors <= -ALONE * self._levels.drift)

    def _has_parted(self, right: Shift) -> bool:
        """Return whether the component followed correctness, step by step, and now grows by what that does not explain.

        A bias of a judge need cost nothing to be learned: what is right may stay as it was, or become more, slowly.
        """
        if self._component == TOTAL or right.errors >= MIN_RISE or len(self._series) < kept(self._steps):
            return False
        component, correctness = list(self._series), list(self._right)
        before = [moves(series[: -self._steps]) for series in (correctness, component)]
        try:
            if correlation(*before) < FOLLOWED:
                return False
        except StatisticsError:  # one of both never moved
            return False
        slope, _ = linear_regression(*before)
        gap = shift([one - slope * other for one, other in zip(component, correctness, strict=True)], self._steps)
        if gap is None or gap.errors < ALONE * self._levels.drift:
            return False
        return gap.now - gap.then >= PARTED * noise_of(component[: -self._steps])


class GrowingLength(ScoreCondition):
    """Completions that grow quickly, of which the longer get more, without being right more often."""

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        super().__init__(name, settings)
        self._right: deque[float] = deque(maxlen=kept(self._steps))
        self._pull: deque[float] = deque(maxlen=self._steps)

    def add(self, value: float, numbers: Numbers) -> str:
        right = finite(numbers.get(f"{REWARD}{self._settings.correctness}"))
        self._right.extend(() if right is None else [right])
        pull = finite(numbers.get(LENGTH_TOTAL))
        self._pull.extend(() if pull is None else [pull])
        return super().add(value, numbers)

    def _wrong(self, numbers: Numbers) -> str:
        grown, right = (shift(list(series), self._steps) for series in (self._series, self._right))
        if grown is None or grown.errors < self._levels.drift or grown.now < self._levels.length * grown.then:
            return ""
        pull = fmean(self._pull) if self._pull else 0.0
        if pull < MIN_CORRELATION or (right is not None and right.errors >= MIN_RISE):
            return ""
        self.usual = grown.then
        return f"{_moved(grown)} tokens, and the longer of a prompt's completions get more (correlation {pull:.2f})"


class PositionBias(ScoreCondition):
    """A judge that prefers what stands first, or what stands last."""

    def _wrong(self, numbers: Numbers) -> str:
        last = self._last(self._steps)
        if not last:
            return ""
        bias = fmean(last)
        error = math.sqrt(fmean((value - bias) ** 2 for value in last) / (len(last) - 1))
        if abs(bias) - 2 * error < self._levels.position_bias:
            return ""
        first = (1 + bias) / 2
        return f"what is shown first wins {first:.0%} of {self._component}'s comparisons over {len(last)} steps"


class _Grown(ScoreCondition):
    """A share that has grown clearly, by at least a level, and not for a moment."""

    level: ClassVar[str]
    share_of: ClassVar[str]

    def _wrong(self, numbers: Numbers) -> str:
        series = list(self._series)
        before, now = series[: -self._steps], series[-self._steps :]
        usual_most = sorted(before)[int(USUAL * (len(before) - 1))] if before else 0.0
        grown = shift([*(min(share, usual_most) for share in before), *now], self._steps)
        least = getattr(self._levels, self.level)
        if grown is None or grown.errors < self._levels.drift:
            return ""
        if median(self._last(self._steps // 2)) - grown.then < least:
            return ""
        self.usual = grown.then
        return f"{grown.now:.1%} {self.share_of.format(self._component)}, after {grown.then:.1%}"


class Missing(_Grown):
    """A component that fails more and more often."""

    level, share_of = "missing", "of completions have no {}"


class FailedRollouts(_Grown):
    """Rollouts that fail more and more often."""

    level, share_of = "missing", "of rollouts failed"


class Unparsable(_Grown):
    """A judge whose replies cannot be read more and more often."""

    level, share_of = "unparsable", "of the replies to {} have no verdict"

    def _wrong(self, numbers: Numbers) -> str:
        return "" if self._component in self._settings.ruled else super()._wrong(numbers)


class Entropy(ScoreCondition):
    """An entropy of which hardly anything is left."""

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        super().__init__(name, settings)
        self._first: list[float] = []
        self._window = settings.steps_of_enough_groups(self._steps // 2)
        self._series = deque(maxlen=max(self._window, self._steps))

    def _wrong(self, numbers: Numbers) -> str:
        if not self._settings.sampled:  # to learn rows by heart is to lose entropy
            return ""
        if len(self._first) < max(self._steps, self._window):
            self._first.append(self._series[-1])
            return ""
        self.usual = median(self._first)
        now = median(self._last(self._window))
        return f"entropy is {now:.4g}, after {self.usual:.4g}" if now < self._levels.entropy * self.usual else ""


def _moved(shift: Shift) -> str:
    return f"{shift.then:.4g} to {shift.now:.4g}"
