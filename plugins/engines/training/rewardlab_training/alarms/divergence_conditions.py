"""The conditions of alarms that a training has diverged, with thresholds from `divergence` of the stage."""

import math
from collections import deque
from statistics import fmean, median

from rewardlab_training.alarms.alarm_settings import AlarmSettings
from rewardlab_training.alarms.series import Numbers

STD = "group/std"
PEAK_STEPS = 3
"""steps over which the best total is a mean, so that one lucky step is none"""
CLEAR = 0.5
"""a fall counts from this share of the widest spread in groups on: for a reward of 0 and 1, from a share of 0.2"""
UNBOUNDED = 4
"""times as clear must a fall be if nobody knows the least total: a bad stretch has a least one, too"""


class NotFinite:
    """A number that is NaN or infinite."""

    usual = None

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        self._name = name

    def add(self, value: float, numbers: Numbers) -> str:
        return "" if math.isfinite(value) else f"{self._name} is {value}"


class FarAbove:
    """A number far above its usual level, the median of the absolute values of its last calm steps.

    A step that is far above does not count for it, so an explosion does not become usual.
    """

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        self._name, self._settings = name, settings.divergence
        self._calm: deque[float] = deque(maxlen=settings.divergence.window)
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
            return f"{self._name} is {value:.4g}, far above its usual {self.usual:.4g} for {many}"
        self._far = 0
        self._calm.append(abs(value))
        return ""


class Collapsed:
    """A mean total that has lost what it had, nearly down to the least, or is flat in all groups well below its best.

    Without a known least total the least that was seen stands for it, and a fall must be `UNBOUNDED` times as clear.
    """

    def __init__(self, name: str, settings: AlarmSettings) -> None:
        low = settings.low
        self._name, self._settings = name, settings.divergence
        self._lasting = settings.steps_of_enough_groups(settings.divergence.collapse)
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
        lasts = how and self._fallen >= self._lasting
        return f"{self._name} has been {how} for {self._fallen} steps" if lasts else ""

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
