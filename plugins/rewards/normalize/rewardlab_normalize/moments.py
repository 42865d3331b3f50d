"""Mean and population standard deviation, exact if all values are equal."""

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    """Return the mean; never outside the range of the values, so that equal values differ from it by exactly 0."""
    return min(max(math.fsum(values) / len(values), min(values)), max(values))


def std(values: Sequence[float]) -> float:
    """Return the population standard deviation (divided by n); exactly 0 if all values are equal."""
    center = mean(values)
    return math.sqrt(math.fsum((value - center) ** 2 for value in values) / len(values))
