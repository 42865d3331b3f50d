"""How much of a truth a step along a reward's advantages teaches: the first-order gain, group by group.

A policy that moves from p to p'(y) ~ p(y) exp(step * u(y)) changes its mean truth by step * cov(u, truth), to first
order: the natural policy gradient of one prompt (Kakade, 2001). u are the advantages in units of their standard
deviation within the group, as GRPO has them (Shao and others, 2024), so that two rewards move the policy equally far:
the divergence is step² / 2 for either.
"""

from array import array
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from statistics import pstdev

from rewardlab_measure.compare.measures import TOLERANCE, SideRewards, SideStatistics
from rewardlab_measure.correlation import correlation
from rewardlab_measure.tables.clusters import clusters_of


@dataclass(frozen=True, kw_only=True)
class GroupGain:
    """The gain of one group by A and by B, per step; `at_most` is that of the truth itself, its standard deviation."""

    a: float
    b: float
    at_most: float
    low: float
    high: float


def group_gain(a: SideRewards, b: SideRewards, truth: Sequence[float | None]) -> GroupGain | None:
    """Return the gain of a group; None if fewer than two completions have a truth and a total on both sides."""
    given = zip(a.total, b.total, truth, strict=True)
    there = [place for place, values in enumerate(given) if None not in values]
    known = [value for place in there if (value := truth[place]) is not None]
    if len(there) < 2:
        return None
    at_most = pstdev(known)
    gains = [at_most * _alignment(SideStatistics.of(side, there), known) for side in (a, b)]
    return GroupGain(a=gains[0], b=gains[1], at_most=at_most, low=min(known), high=max(known))


def _alignment(side: SideStatistics, truth: Sequence[float]) -> float:
    """Return the correlation of rewards and truth; 0 if either does not differ, since nothing is learnt then."""
    return 0.0 if side.flat else correlation(side.shaped, truth) or 0.0


def _numbers() -> "array[float]":
    return array("d")


@dataclass
class Gains:
    """The gains of many groups, and which of them are not independent of each other."""

    a: "array[float]" = field(default_factory=_numbers)
    b: "array[float]" = field(default_factory=_numbers)
    at_most: "array[float]" = field(default_factory=_numbers)
    left_out: int = 0
    low: float = float("inf")
    high: float = float("-inf")
    _keys: list[Sequence[Hashable]] = field(default_factory=list)

    def add(self, gain: GroupGain | None, keys: Sequence[Hashable]) -> None:
        """Count one group, or leave it out. keys: what it shares with the groups that count as one with it."""
        if gain is None:
            self.left_out += 1
            return
        self.a.append(gain.a)
        self.b.append(gain.b)
        self.at_most.append(gain.at_most)
        self.low, self.high = min(self.low, gain.low), max(self.high, gain.high)
        self._keys.append(keys)

    def __len__(self) -> int:
        return len(self.a)

    @property
    def varying(self) -> int:
        """The number of groups whose completions differ in truth; no reward teaches it on the others."""
        return sum(most > TOLERANCE * self.scale for most in self.at_most)

    @property
    def scale(self) -> float:
        """The range of the truth, which no difference of gains exceeds; 1 if it has none."""
        return (self.high - self.low) if self.high > self.low else 1.0

    def differences(self) -> list[float]:
        """Return B's gain less A's for each group, over the scale; 0 for what is rounding."""
        scaled = [(b - a) / self.scale for a, b in zip(self.a, self.b, strict=True)]
        return [0.0 if abs(difference) <= TOLERANCE else difference for difference in scaled]

    def clusters(self) -> list[int]:
        """Return the cluster of each group."""
        return clusters_of(self._keys)
