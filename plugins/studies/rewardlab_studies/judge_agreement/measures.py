"""Measures of agreement: Cohen's kappa, Wilson's interval."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

NORMAL_95 = 1.959963984540054
"""The standard normal lies between this and its negative with probability 0.95."""


def cohen_kappa(pairs: Sequence[tuple[Any, Any]]) -> float | None:
    """Return Cohen's kappa of two raters' labels for n things, in [-1, 1]; None if chance alone agrees fully.

    (observed - chance) / (1 - chance), with chance from each rater's own shares of labels. It is undefined for no
    things, and for one label throughout. Source: Cohen 1960.
    """
    size = len(pairs)
    ours, theirs = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    agreed = sum(a == b for a, b in pairs)
    by_chance = sum(times * theirs[label] for label, times in ours.items())  # over size squared
    if size * size == by_chance:
        return None
    return (size * agreed - by_chance) / (size * size - by_chance)


def wilson(successes: float, size: int) -> tuple[float, float] | None:
    """Return Wilson's 95% interval of a share of `size` independent cases, within [0, 1]; None for no cases.

    `successes` in [0, size]; ties may add halves. Source: Wilson 1927, without continuity correction.
    """
    if not size:
        return None
    share, z2 = successes / size, NORMAL_95**2
    centre = (share + z2 / (2 * size)) / (1 + z2 / size)
    reach = NORMAL_95 / (1 + z2 / size) * math.sqrt(share * (1 - share) / size + z2 / (4 * size * size))
    return max(0.0, centre - reach), min(1.0, centre + reach)
