"""The test of one language among several: how often so large a change comes by chance if a judge treats them alike.

Then each order of a problem's values over its languages is as likely. The signs of the changes are not: of ten
languages that fail alike and seldom, one that has not failed yet is a little better than the others wherever one of
them failed.
"""

from collections import Counter
from collections.abc import Sequence
from math import prod

from rewardlab_measure.tables.sign_test import CLOSE, common_step

MAX_STEPS, MIN_STEPS = 500, 8
"""steps in the largest change, to which changes are rounded if they have no common step; fewer of many problems"""
MAX_WORK = 2_000_000
"""additions that more than MIN_STEPS may take"""
NEXT_TO_NOTHING = 1e-25
"""a chance that is left out at either end"""


def language_test(changes: Sequence[Sequence[float]]) -> float:
    """Return the two-sided p-value of the sum of the problems' changes in one language.

    Args:
        changes: of each problem, first that of the language, then what it had been with each other language's value.
    """
    varying = [given for given in changes if max(given) - min(given) > CLOSE]
    if not varying:
        return 1.0
    step = _step(varying)
    counts = [[round(change / step) for change in given] for given in varying]
    seen = abs(sum(given[0] for given in counts))
    lowest, chances = _sums(counts)
    beyond = sum(chance for total, chance in enumerate(chances, lowest) if abs(total) >= seen)
    return min(1.0, max(beyond, smallest_language_p(varying)))


def smallest_language_p(changes: Sequence[Sequence[float]]) -> float:
    """Return the smallest p-value that so many problems can have; of two languages the other sign is as likely."""
    both = 2.0 if all(len(given) == 2 for given in changes) else 1.0
    return min(1.0, both * prod((1 / len(given) for given in changes[:1000]), start=1.0))


def _step(changes: Sequence[Sequence[float]]) -> float:
    sizes = [size for given in changes for size in map(abs, given) if size > CLOSE]
    top, common = max(sizes), common_step(sizes)
    work = len(changes) * len(sizes)  # additions that one step in the largest change takes
    steps = max(MIN_STEPS, min(MAX_STEPS, MAX_WORK // work))
    return common if common is not None and top / common <= steps else top / steps


def _sums(counts: Sequence[Sequence[int]]) -> tuple[int, list[float]]:
    """Return (the lowest sum, the chance of each from it on) if each problem takes any of its counts."""
    lowest, chances = 0, [1.0]
    for given in counts:
        least = min(given)
        added = [0.0] * (len(chances) + max(given) - least)
        for count, times in Counter(given).items():
            share = times / len(given)
            for place, chance in enumerate(chances, count - least):
                added[place] += share * chance
        first = next(place for place, chance in enumerate(added) if chance > NEXT_TO_NOTHING)
        last = next(place for place in range(len(added), 0, -1) if added[place - 1] > NEXT_TO_NOTHING)
        lowest, chances = lowest + least + first, added[first:last]
    return lowest, chances
