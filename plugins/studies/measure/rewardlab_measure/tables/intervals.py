"""Intervals of 95% for averages of independent units: of shares Wilson's, of differences and other numbers Student's.

Sources: Wilson (1927); with an effective number of units for clusters, Korn and Graubard (1998), compared by Franco and
others (2019); for differences, Agresti and Min (2005); the studentised bootstrap, Efron and Tibshirani (1993, ch. 12).
"""

from math import erfc, sqrt
from random import Random
from statistics import NormalDist

from rewardlab_measure.tables.student import student_quantile, student_tails
from rewardlab_measure.tables.units import Units

LEVEL = 0.95
MAX_DRAWN = 200
"""units that a bootstrap draws; the mean of more is as good as normal"""
MIN_DRAWN = 5
MIN_NORMAL = 6
"""units of which a share may have Wilson's interval: that of five of five leaves out a half, which even odds miss more
often than in 5% of cases; the interval of fewer is as wide as Student's t makes it"""
Interval = tuple[float, float]


def share_interval(mean: float, units: Units, level: float = LEVEL) -> Interval | None:
    """Return the interval of an average of values in [0, 1], or None if nothing says how much they vary.

    Wilson's, as of a share of n cases. n is what the variance and its degrees of freedom make it, and no less than the
    number of units: nothing in [0, 1] varies more than a share does.
    """
    if not units.is_known:
        return None
    cases, spread = 1 / units.concentration, mean * (1 - mean)
    tails = 1 - level
    z = NormalDist().inv_cdf(1 - tails / 2) if len(units) >= MIN_NORMAL else student_quantile(len(units) - 1, tails)
    if units.variance > 0 and spread > 0:
        cases = max(cases, spread / units.variance * (z / student_quantile(units.freedom, tails)) ** 2)
    middle = (mean + z * z / 2 / cases) / (1 + z * z / cases)
    half = z * sqrt(max(0.0, spread) / cases + (z / 2 / cases) ** 2) / (1 + z * z / cases)
    return max(0.0, middle - half), min(1.0, middle + half)


def share_p(mean: float, units: Units) -> float:
    """Return the p-value of an average of values in [0, 1] against a half; 1 if nothing says how much they vary.

    It is that of the interval's own test: the interval that covers 1 - p ends at a half.
    """
    if not units.is_known:
        return 1.0
    far, spread = 2 * abs(mean - 0.5), mean * (1 - mean)
    alone = _score_p(far, units)
    if not units.variance or spread <= 0:
        return alone
    return min(alone, student_tails(far * sqrt(spread / units.variance), units.freedom))


def extreme_p(units: Units) -> float:
    """Return the p-value against a half of an average of 0 or 1."""
    return _score_p(1.0, units) if units.is_known else 1.0


def _score_p(far: float, units: Units) -> float:
    """Return the p-value of a share of as many cases as there are units. far: twice its distance from a half."""
    score = far / sqrt(units.concentration)
    return erfc(score / sqrt(2)) if len(units) >= MIN_NORMAL else student_tails(score, len(units) - 1)


def difference_interval(mean: float, units: Units, level: float = LEVEL) -> Interval | None:
    """Return the interval of an average of differences in [-1, 1], or None if nothing says how much they vary.

    Student's, with one more difference than there are, as large as those that are not 0: few of them, or none, do not
    say that there will be none.
    """
    if not units.is_known:
        return None
    squares = [(part / share) ** 2 for part, share in zip(units.parts, units.shares, strict=True) if part]
    one_more = (sum(squares) / len(squares) if squares else 1.0) * units.concentration / len(units)
    half = student_quantile(units.freedom, 1 - level) * sqrt(units.variance + one_more)
    return max(-1.0, mean - half), min(1.0, mean + half)


def other_interval(mean: float, units: Units, draws: int, random: Random) -> Interval | None:
    """Return the interval of an average of any numbers, or None if nothing says how much they vary.

    From draws of units with replacement, each average in its own standard errors, since numbers without bounds may be
    skewed; of very few units, and of many, Student's.
    """
    if not units.is_known or not units.variance:
        return None
    error = sqrt(units.variance)
    if MIN_DRAWN <= len(units) <= MAX_DRAWN:
        drawn = _studentised(units.deviations, draws, random)
        if len(drawn) > draws * LEVEL:
            tail = (1 - LEVEL) / 2 * (len(drawn) - 1)
            return mean - drawn[round(len(drawn) - 1 - tail)] * error, mean - drawn[round(tail)] * error
    half = student_quantile(units.freedom) * error
    return mean - half, mean + half


def _studentised(deviations: list[float], draws: int, random: Random) -> list[float]:
    """Return the sums of samples of deviations in their own standard errors, in ascending order."""
    size = len(deviations)
    ratios = []
    for _ in range(draws):
        sample = random.choices(deviations, k=size)
        total = sum(sample)
        variance = sum(deviation * deviation for deviation in sample) - total * total / size
        if variance > 0:
            ratios.append(total / sqrt(variance * size / (size - 1)))
    return sorted(ratios)
