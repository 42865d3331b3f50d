"""Correlation of two lists of numbers, of any size that a float holds."""

import math
from collections.abc import Sequence


def correlation(values: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Pearson's correlation of two lists (n,), in [-1, 1], 1 for equal ones; None if either is constant."""
    if len({*values}) < 2 or len({*other}) < 2:
        return None
    left, right = deviations_of(values), deviations_of(other)
    squares = math.fsum(x * x for x in left) * math.fsum(y * y for y in right)
    both = math.fsum(x * y for x, y in zip(left, right, strict=True))
    return max(-1.0, min(1.0, both / math.sqrt(squares)))  # the root of a square is exact


def ranks(values: Sequence[float], tolerance: float = 0.0) -> list[float]:
    """Return the ranks (n,) of `values`, 1 for the lowest.

    Neighbours that are no more than `tolerance` apart share the mean of their ranks.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ranked = [0.0] * len(values)
    start = 0
    for end in range(1, len(order) + 1):
        if end < len(order) and values[order[end]] - values[order[end - 1]] <= tolerance:
            continue
        for place in order[start:end]:
            ranked[place] = (start + 1 + end) / 2
        start = end
    return ranked


def deviations_of(values: Sequence[float]) -> list[float]:
    """Return the deviations from the mean in units of the largest one.

    Their squares are then neither too large nor too small for a float.
    """
    center = math.fsum(value / len(values) for value in values)
    deviations = [value - center for value in values]
    largest = max(map(abs, deviations))
    return [deviation / largest for deviation in deviations] if largest else deviations
