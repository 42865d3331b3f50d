"""The correlation of two lists of scores by their order."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations


def kendall_tau_b(scores: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Kendall's tau-b of two score lists (n,), in [-1, 1]; None if either is constant or n < 2.

    (C - D) / sqrt((P - T1)(P - T2)): concordant and discordant pairs, all P = n(n - 1)/2 pairs, and the pairs
    tied in each list. Source: Kendall 1945. Takes time quadratic in the number of different pairs of scores.
    """
    balance = untied_in_one = untied_in_other = 0
    cells = Counter(zip(scores, other, strict=True))  # scores of a few levels make few of them, however many there are
    for ((one_i, other_i), times_i), ((one_j, other_j), times_j) in combinations(cells.items(), 2):
        first, second, pairs = _sign(one_i, one_j), _sign(other_i, other_j), times_i * times_j
        balance += first * second * pairs
        untied_in_one += (first != 0) * pairs
        untied_in_other += (second != 0) * pairs
    if not untied_in_one or not untied_in_other:
        return None
    # a single root, of the exact product, makes the ratio of a perfect order exactly 1
    return max(-1.0, min(1.0, balance / math.sqrt(untied_in_one * untied_in_other)))


def _sign(left: float, right: float) -> int:
    return (left > right) - (left < right)
