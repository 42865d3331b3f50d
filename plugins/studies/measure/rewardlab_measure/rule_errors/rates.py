"""How often a rule is wrong, estimated from verdicts of a judge that is itself wrong at known rates.

Of a rule that accepts or rejects, the false-negative rate is P(rejected | right), the false-positive rate P(accepted |
wrong). If a judge with the error rates m = P(says wrong | right) and a = P(says right | wrong) finds a share q of
responses right, a share (q - a) / (1 - a - m) is (Rogan and Gladen 1978). That gives the right ones among what the rule
rejects and among what it accepts, and these the rates.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist, fmean
from typing import Any, TypeGuard

Z = NormalDist().inv_cdf(0.975)
RIGHT, WRONG, BLANK = "right", "wrong", "blank"
"""what rubric/appeal notes of a response as `appeal`: the judge's verdicts, and that there is nothing to judge"""
EVEN = 0.5
"""the share of verdicts that say right where as many say wrong, which is no verdict"""


def was_appealed(info: Any) -> TypeGuard[Mapping[str, Any]]:
    """Return whether rubric/appeal wrote this `info` of a response that the rule has decided."""
    return isinstance(info, Mapping) and isinstance(info.get("accepted"), bool) and "rule" in info


@dataclass(frozen=True)
class Estimate:
    """A rate with its 95% interval."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"value": self.value, "interval": [self.low, self.high]}


@dataclass
class Decided:
    """What a rule decided one way.

    Args:
        all: the responses, without those that are known to be wrong.
        asked, right: those that the judge was asked about and answered, and those that it finds right.
        wrong: further ones that are known to be wrong, such as empty ones.
    """

    all: int = 0
    asked: int = 0
    right: int = 0
    wrong: int = 0


@dataclass
class RuleCounts:
    """Counts of what a rule rejected and accepted, and of what the judge says of that."""

    rejected: Decided = field(default_factory=Decided)
    accepted: Decided = field(default_factory=Decided)
    problems: "dict[Hashable, RuleCounts]" = field(default_factory=dict)
    """the counts of each problem, if they are known: what a rule overlooks in one answer it overlooks in the next"""

    def add(self, info: Mapping[str, Any], problem: Hashable | None = None) -> None:
        """Count a response by what rubric/appeal noted of it, see `was_appealed`."""
        decided, appeal = self.accepted if info["accepted"] else self.rejected, _verdict(info)
        decided.all += appeal != BLANK
        decided.wrong += appeal == BLANK
        decided.asked += appeal in (RIGHT, WRONG)
        decided.right += appeal == RIGHT
        if problem is not None:
            self.problems.setdefault(problem, RuleCounts()).add(info)

    def rates(self, misses: float = 0.0, accepts: float = 0.0) -> tuple[Estimate | None, Estimate | None]:
        """Return (the false-negative rate, the false-positive rate); None for one that nothing is known about.

        Without verdicts on what the rule accepts, that counts as right for the first, and there is no second.

        Args:
            misses, accepts: the judge's own error rates, P(wrong | right) and P(right | wrong).
        """
        if not self.rejected.asked:
            return None, None
        below = _share(self.rejected, misses, accepts)
        above = _share(self.accepted, misses, accepts) if self.accepted.asked else _Share(1.0, 0.0)
        right = (_count(self.rejected, below), _count(self.accepted, above))
        negative = _rate(*right, _design_effect(self, _Decisions.of_right))
        if not self.accepted.asked:
            return negative, None
        wrong = (
            _count(self.accepted, above.other(), self.accepted.wrong),
            _count(self.rejected, below.other(), self.rejected.wrong),
        )
        return negative, _rate(*wrong, _design_effect(self, _Decisions.of_wrong))

    def as_dict(self, misses: float, accepts: float) -> Mapping[str, Any]:
        """Return the estimates as JSON values."""
        negative, positive = self.rates(misses, accepts)
        return {
            "rejected": vars(self.rejected),
            "accepted": vars(self.accepted),
            "false_negative": negative and negative.as_dict(),
            "false_positive": positive and positive.as_dict(),
        }


def _verdict(info: Mapping[str, Any]) -> Any:
    """Return what is noted as `appeal`; of several draws what most say, None of as many for as against.

    Each judge of a panel counts alike.
    """
    repeats = info.get("repeats")
    kept = repeats.get("scores") if isinstance(repeats, Mapping) else None
    by_judge = [
        [draw["right"] for draw in draws if isinstance(draw, Mapping) and draw.get("right") in (0.0, 1.0)]
        for draws in (kept.values() if isinstance(kept, Mapping) else ())
        if isinstance(draws, list | tuple)
    ]
    shares = [fmean(verdicts) for verdicts in by_judge if verdicts]
    if not shares:
        return info.get("appeal")
    share = fmean(shares)
    return None if share == EVEN else RIGHT if share > EVEN else WRONG


@dataclass(frozen=True)
class _Share:
    """A share and the variance of its estimate."""

    value: float
    variance: float

    def other(self) -> "_Share":
        return _Share(1.0 - self.value, self.variance)


def _share(decided: Decided, misses: float, accepts: float) -> _Share:
    """Return the share of responses that are right. Its variance is as with one more verdict of each sort."""
    slope = 1.0 - accepts - misses
    value = (decided.right / decided.asked - accepts) / slope
    smoothed = (decided.right + 1) / (decided.asked + 2)
    return _Share(min(1.0, max(0.0, value)), smoothed * (1 - smoothed) / decided.asked / slope**2)


def _count(decided: Decided, share: _Share, known: int = 0) -> tuple[float, float]:
    """Return (the expected number of responses of a sort, the variance of that as an estimate of their rate).

    Responses come at random, which is a Poisson count; of those that were not asked about, only the share is known.
    """
    number, among = decided.all * share.value + known, decided.all * share.value * (1 - share.value)
    return number, max(number, 0.5) + max(0.0, decided.all**2 * share.variance - among)


@dataclass(frozen=True)
class _Decisions:
    """How many responses of one sort a rule decides the wrong way and the right way, each that was seen for several."""

    wrong_way: float
    right_way: float

    @classmethod
    def of_right(cls, counts: RuleCounts, weights: tuple[float, float]) -> "_Decisions":
        accepted = counts.accepted.right if weights[1] else counts.accepted.all  # nobody was asked: all count
        return cls(counts.rejected.right * weights[0], accepted * (weights[1] or 1.0))

    @classmethod
    def of_wrong(cls, counts: RuleCounts, weights: tuple[float, float]) -> "_Decisions":
        below, above = (part.asked - part.right for part in (counts.rejected, counts.accepted))
        return cls(above * weights[1] + counts.accepted.wrong, below * weights[0] + counts.rejected.wrong)


def _design_effect(counts: RuleCounts, decisions: Callable[[RuleCounts, tuple[float, float]], _Decisions]) -> float:
    """Return by how much the variance of a rate exceeds that of as many problems of one response each; at least 1."""
    number = len(counts.problems)
    weights = tuple(part.all / part.asked if part.asked else 0.0 for part in (counts.rejected, counts.accepted))
    whole = decisions(counts, (weights[0], weights[1]))
    size = whole.wrong_way + whole.right_way
    if number < 2 or not whole.wrong_way or not whole.right_way:
        return max(1.0, size / number) if number else 1.0
    rate, variance = whole.wrong_way / size, 0.0
    for problem in counts.problems.values():
        own = decisions(problem, (weights[0], weights[1]))
        variance += (own.wrong_way * (1 - rate) - own.right_way * rate) ** 2
    return max(1.0, variance * number / (number - 1) / (size * rate * (1 - rate)))


def _rate(part: tuple[float, float], rest: tuple[float, float], effect: float) -> Estimate:
    """Return part / (part + rest), of counts with their variances, which are `effect` times as large."""
    (one, variance), (other, other_variance) = part, rest
    if one + other <= 0:
        return Estimate(0.0, 0.0, 1.0)
    limits, others = _limits(one, effect * variance), _limits(other, effect * other_variance)
    value = one / (one + other)
    least = _least_ratio(one, limits[0], other, others[1])
    inverse = _least_ratio(other, others[0], one, limits[1])
    return Estimate(value, min(value, least / (1 + least)), max(value, 1 / (1 + inverse)))


def _limits(count: float, variance: float) -> tuple[float, float]:
    """Return the interval of a count: Wilson's of a Poisson count, for any variance."""
    middle, half = count + Z**2 / 2, Z * math.sqrt(variance + Z**2 / 4)
    return max(0.0, middle - half), middle + half


def _least_ratio(one: float, low: float, other: float, high: float) -> float:
    """Return the lower limit of one / other by their own limits (Donner and Zou 2012, MOVER-R)."""
    if one <= 0 or low <= 0:
        return 0.0
    if other <= 0:
        return low / high
    # the point on the ellipse of both errors at which the ratio is least
    product = one * other
    inside = product**2 - low * high * (2 * one - low) * (2 * other - high)
    denominator = high * (2 * other - high)
    if abs(denominator) < 1e-12 * product:
        return low * (2 * one - low) / (2 * product)
    return max(0.0, (product - math.sqrt(max(0.0, inside))) / denominator)
