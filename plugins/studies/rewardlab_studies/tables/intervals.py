"""Intervals of 95% for averages of independent units: of shares Wilson's, of differences and other numbers Student's.

Sources: Wilson (1927); with an effective number of units for clusters, Korn and Graubard (1998), compared by Franco and
others (2019); for differences, Agresti and Min (2005); the studentised bootstrap, Efron and Tibshirani (1993, ch. 12).
"""

from functools import lru_cache
from math import exp, expm1, log, pi, sqrt
from random import Random
from statistics import NormalDist

from rewardlab_studies.tables.units import Units

LEVEL = 0.95
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
MAX_DRAWN = 200
"""units that a bootstrap draws; the mean of more is as good as normal"""
MIN_DRAWN = 5
ONE_DEGREE, TWO_DEGREES = 12.7062, 4.3027
"""Student's t of 1 and of 2 degrees of freedom"""
Interval = tuple[float, float]


def share_interval(mean: float, units: Units) -> Interval | None:
    """Return the interval of an average of values in [0, 1], or None if nothing says how much they vary.

    Wilson's, as of a share of n cases. n is what the variance and its degrees of freedom make it, and no less than the
    number of units: nothing in [0, 1] varies more than a share does.
    """
    if not units.is_known:
        return None
    cases, spread = 1 / units.concentration, mean * (1 - mean)
    if units.variance > 0 and spread > 0:
        cases = max(cases, spread / units.variance * (Z / student(units.freedom)) ** 2)
    middle = (mean + Z * Z / 2 / cases) / (1 + Z * Z / cases)
    half = Z * sqrt(max(0.0, spread) / cases + (Z / 2 / cases) ** 2) / (1 + Z * Z / cases)
    return max(0.0, middle - half), min(1.0, middle + half)


def difference_interval(mean: float, units: Units) -> Interval | None:
    """Return the interval of an average of differences in [-1, 1], or None if nothing says how much they vary.

    Student's, with one more difference than there are, as large as those that are not 0: few of them, or none, do not
    say that there will be none.
    """
    if not units.is_known:
        return None
    squares = [(part / share) ** 2 for part, share in zip(units.parts, units.shares, strict=True) if part]
    one_more = (sum(squares) / len(squares) if squares else 1.0) * units.concentration / len(units)
    half = student(units.freedom) * sqrt(units.variance + one_more)
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
    half = student(units.freedom) * error
    return mean - half, mean + half


def _studentised(deviations: list[float], draws: int, random: Random) -> list[float]:
    """Return the sums of samples of deviations in their own standard errors, in ascending order."""
    size = len(deviations)
    found = []
    for _ in range(draws):
        sample = random.choices(deviations, k=size)
        total = sum(sample)
        variance = sum(one * one for one in sample) - total * total / size
        if variance > 0:
            found.append(total / sqrt(variance * size / (size - 1)))
    return sorted(found)


@lru_cache(maxsize=4096)
def student(freedom: float) -> float:
    """Return what Student's t with these degrees of freedom, 1 or more, exceeds on either side in 5% of cases.

    By Hill's expansion (1970, algorithm 396) from 2 degrees on, whose error is below 1%; between 1 and 2, where it is
    none, the logarithm is taken as linear in 1 / freedom, which is up to 3% too wide.
    """
    n = freedom
    if n < 2:
        return exp(log(ONE_DEGREE) + (log(TWO_DEGREES) - log(ONE_DEGREE)) * 2 * (1 - 1 / max(1.0, n)))
    a = 1 / (n - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * n
    x, y = -Z, Z * Z
    if n < 5:
        c += 0.3 * (n - 4.5) * (x + 0.6)
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
    return sqrt(n * expm1(a * y * y))
