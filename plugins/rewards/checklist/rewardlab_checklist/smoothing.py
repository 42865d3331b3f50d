"""Variance smoothing: a reward loses the more, the further its subscores lie apart.

The paper (SGCM, section 3) multiplies a mean by a factor of the subscores' standard deviation and prints none. Here
the deviation is the weighted one of the population, and the default factor is the strongest of its family under which
raising any one subscore never lowers the reward, whatever checklist and weights (docs/amro.md).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat
from rewardlab import Config

WIDEST = 0.5
"""the largest standard deviation of scores in [0, 1]"""
Family = Literal["gaussian", "rational", "exponential", "linear", "none"]


class Smoothing(Config):
    """The price of subscores that lie apart."""

    family: Family = "gaussian"
    """the factor, of a deviation d: gaussian exp(-beta d^2), rational 1 / (1 + beta d^2), exponential exp(-beta d),
    linear 1 - d / widest, at least 0; none: 1"""
    beta: PositiveFloat = 2.0
    """how strong it is; above 2 a better subscore can lower the reward under gaussian and rational, and at any strength
    under exponential"""
    widest: Annotated[float, Field(gt=0, le=1)] = WIDEST
    """linear: the deviation at which nothing is left"""

    def factor(self, deviation: float) -> float:
        """Return the factor of the reward, in [0, 1]."""
        return _FACTORS[self.family](self, deviation)


_FACTORS: Mapping[str, Callable[[Smoothing, float], float]] = {
    "gaussian": lambda smoothing, d: math.exp(-smoothing.beta * d * d),
    "rational": lambda smoothing, d: 1 / (1 + smoothing.beta * d * d),
    "exponential": lambda smoothing, d: math.exp(-smoothing.beta * d),
    "linear": lambda smoothing, d: max(0.0, 1 - d / smoothing.widest),
    "none": lambda smoothing, d: 1.0,
}


def weighted_mean(scores: Sequence[float], weights: Sequence[float]) -> float:
    """Return the mean of scores in [0, 1]; weights sum to 1."""
    return min(1.0, math.fsum(weight * score for weight, score in zip(weights, scores, strict=True)))


def weighted_deviation(scores: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted standard deviation of the population, in [0, .5]; 0 for one score."""
    mean = weighted_mean(scores, weights)
    squares = (weight * (score - mean) ** 2 for weight, score in zip(weights, scores, strict=True))
    return min(WIDEST, math.sqrt(math.fsum(squares)))


def smoothed(scores: Sequence[float], weights: Sequence[float], smoothing: Smoothing) -> float:
    """Return the weighted mean of scores in [0, 1], times the factor of their weighted deviation; weights sum to 1."""
    return smoothing.factor(weighted_deviation(scores, weights)) * weighted_mean(scores, weights)
