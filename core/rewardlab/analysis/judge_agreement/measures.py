"""Measures of agreement, exact for ties: Kendall's tau-b, Cohen's kappa, Wilson's interval."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

NORMAL_95 = 1.959963984540054
"""The standard normal lies between this and its negative with probability 0.95."""


def kendall_tau_b(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Kendall's tau-b of two score lists (n,), in [-1, 1]; None where either is constant or n < 2.

    (C - D) / sqrt((P - T1)(P - T2)): concordant and discordant pairs, all P = n(n - 1)/2 pairs, and the pairs
    tied in each list. Source: Kendall 1945. Takes time quadratic in n.
    """
    balance = untied_in_one = untied_in_other = 0
    for (one_i, other_i), (one_j, other_j) in combinations(zip(one, other, strict=True), 2):
        first, second = _sign(one_i, one_j), _sign(other_i, other_j)
        balance += first * second
        untied_in_one += first != 0
        untied_in_other += second != 0
    if not untied_in_one or not untied_in_other:
        return None
    # a single root, of the exact product, makes the ratio of a perfect order exactly 1
    return max(-1.0, min(1.0, balance / math.sqrt(untied_in_one * untied_in_other)))


def _sign(left: float, right: float) -> int:
    return (left > right) - (left < right)


def cohen_kappa(pairs: Sequence[tuple[Any, Any]]) -> float | None:
    """Return Cohen's kappa of two raters' labels for n things, in [-1, 1]; None where chance alone agrees fully.

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
