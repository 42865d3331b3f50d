"""Student's t: how often it is further from 0 than a number, and which number it exceeds so often."""

from functools import lru_cache
from math import exp, inf, lgamma, log, log1p

CLOSE = 1e-15
MAX_TERMS = 10_000
"""of the continued fraction; some of the root of the degrees of freedom are needed"""


def student_tails(t: float, freedom: float) -> float:
    """Return how often Student's t with these degrees of freedom, above 0, is as far from 0 as `t`, on either side."""
    square = t * t
    if not square:
        return 1.0
    if square == inf:
        return 0.0
    return _incomplete_beta(freedom / (freedom + square), freedom / 2, 0.5, square / (freedom + square))


@lru_cache(maxsize=4096)
def student_quantile(freedom: float, tails: float = 0.05) -> float:
    """Return what Student's t exceeds on either side in the share `tails` of all cases, both sides together."""
    low, high = 0.0, 1.0
    while student_tails(high, freedom) > tails:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if student_tails(middle, freedom) > tails else (low, middle)
    return high


def _incomplete_beta(x: float, a: float, b: float, rest: float) -> float:
    """Return the regularised incomplete beta function at x, whose `rest` is 1 - x (Numerical Recipes, section 6.4)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(rest, b, a, x)
    if not x:
        return 0.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * (log1p(-rest) if rest < 0.5 else log(x)) + b * log(rest))
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + even * d)
        c = 1 + even / c
        fraction *= c * d
        d = 1 / (1 + odd * d)
        c = 1 + odd / c
        fraction *= c * d
        if abs(c * d - 1) < CLOSE:
            break
    return fraction
