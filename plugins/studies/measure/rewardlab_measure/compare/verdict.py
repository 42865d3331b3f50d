"""Which of two rewards teaches more of a truth, with an interval, and how many prompts would say so."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any, Literal

from rewardlab_measure.compare.gain import Gains
from rewardlab_measure.compare.looks import INFLATION
from rewardlab_measure.tables.averages import clustered_average
from rewardlab_measure.tables.intervals import LEVEL
from rewardlab_measure.tables.layout import Cell
from rewardlab_measure.tables.units import CellValues, units_at

POWERS = (0.8, 0.9)
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
TruthVerdict = Literal[
    "A teaches more",
    "B teaches more",
    "no difference that large",
    "equal",
    "undecided",
    "truth never differs",
    "too few prompts",
]


@dataclass(frozen=True, kw_only=True)
class TaughtTruth:
    """What A and B teach of the truth, per step, on average over prompts; a difference is B's less A's.

    Args:
        varying: prompts whose completions differ in truth.
        clusters: prompts, or problems, that are independent of each other.
        deviation: the standard deviation of a prompt's difference, as the average's error says; None if unknown.
    """

    prompts: int
    varying: int
    left_out: int
    clusters: int = 0
    a: float | None = None
    b: float | None = None
    at_most: float | None = None
    low: float | None = None
    high: float | None = None
    deviation: float | None = None
    all_equal: bool = False

    @property
    def difference(self) -> float | None:
        """B's average gain less A's; None without prompts."""
        return None if self.a is None or self.b is None else self.b - self.a

    def verdict(self, detect: float | None = None) -> TruthVerdict:
        """Return what may be said. detect: the difference that would matter."""
        if not self.prompts:
            return "too few prompts"
        if not self.varying:
            return "truth never differs"
        if self.all_equal:
            return "equal"
        if self.low is None or self.high is None:
            return "too few prompts"
        if self.low > 0 or self.high < 0:
            return "B teaches more" if self.low > 0 else "A teaches more"
        if detect is not None and -detect < self.low and self.high < detect:
            return "no difference that large"
        return "undecided"

    def is_decided(self, detect: float | None) -> bool:
        """Whether a look may stop here."""
        return self.verdict(detect) in ("A teaches more", "B teaches more", "no difference that large")

    def smallest_seen(self, power: float) -> float | None:
        """Return the smallest difference that so many prompts see with this power (Bloom, 1995); None if unknown."""
        if self.low is None or self.high is None or not self.deviation:
            return None
        return (self.high - self.low) / 2 + NormalDist().inv_cdf(power) * self.deviation / sqrt(self.prompts)

    def prompts_needed(self, detect: float, power: float, *, looks: bool = False) -> int | None:
        """Return how many prompts like these see a difference with this power (Guenther, 1981); None if unknown.

        looks: whether it is looked at on the way, which needs a few more at the most.
        """
        if not self.deviation:
            return None
        each = self.prompts / self.clusters  # what the normal quantile lacks is of problems, not of prompts
        needed = ((Z + NormalDist().inv_cdf(power)) * self.deviation / detect) ** 2 + Z * Z / 2 * each
        return ceil(needed * (INFLATION if looks else 1.0))


def taught(gains: Gains, level: float = LEVEL) -> TaughtTruth:
    """Return what the groups say. level: of the interval."""
    counts: dict[str, Any] = {"prompts": len(gains), "varying": gains.varying, "left_out": gains.left_out}
    differences, clusters = gains.differences(), gains.clusters()
    average = clustered_average(differences, clusters, "difference", level)
    if average is None:
        return TaughtTruth(**counts)
    cell = Cell("", "")
    units = units_at({cell: 1.0}, {cell: CellValues(values=differences, clusters=clusters)})
    return TaughtTruth(
        **counts,
        clusters=len(units),
        a=_mean(gains.a),
        b=_mean(gains.b),
        at_most=_mean(gains.at_most),
        low=None if average.low is None else average.low * gains.scale,
        high=None if average.high is None else average.high * gains.scale,
        deviation=sqrt(units.variance * len(gains)) * gains.scale if units.is_known else None,
        all_equal=not any(differences),
    )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
