"""Share a number of rows out among groups of limited size."""

from collections.abc import Sequence


def share_out(total: int, weights: Sequence[float], sizes: Sequence[int], least: int = 0) -> list[int]:
    """Return how many rows each group gives: in proportion to its weight, and no more than it has.

    What a small group lacks the others give. Each gives `least` rows, or all that it has, if `total` allows; a total
    too small for that is shared out evenly. Fractions go to the largest remainders, of equal ones to the first. The sum
    of the result is min(total, sum(sizes)).

    Args:
        weights: positive.
    """
    total = min(total, sum(sizes))
    floors = [min(least, size) for size in sizes]
    if sum(floors) > total:
        return _fill(total, [1.0] * len(sizes), floors, [0] * len(sizes))
    return _fill(total, weights, sizes, floors)


def _fill(total: int, weights: Sequence[float], most: Sequence[int], least: Sequence[int]) -> list[int]:
    """Return shares between `least` and `most`: those that would pass a bound have it, the rest goes by weight."""
    fixed: dict[int, int] = {}
    while True:
        free = [index for index in range(len(weights)) if index not in fixed]
        left = total - sum(fixed.values())
        if not free:
            return [fixed[index] for index in range(len(weights))]
        whole = sum(weights[index] for index in free)
        wanted = {index: left * weights[index] / whole for index in free}
        above = {index: most[index] for index in free if wanted[index] > most[index]}
        below = {index: least[index] for index in free if wanted[index] < least[index]}
        over = sum(wanted[index] - bound for index, bound in above.items())
        under = sum(bound - wanted[index] for index, bound in below.items())
        if not above and not below:
            return _rounded(wanted, left, most, fixed)
        # the larger violation is the one that stays a violation when the other is mended
        fixed |= above if over >= under else below


def _rounded(wanted: dict[int, float], left: int, most: Sequence[int], fixed: dict[int, int]) -> list[int]:
    shares = fixed | {index: int(share) for index, share in wanted.items()}
    missing = left - sum(shares[index] for index in wanted)
    by_remainder = sorted(wanted, key=lambda index: (int(wanted[index]) - wanted[index], index))
    for index in [index for index in by_remainder if shares[index] < most[index]][:missing]:
        shares[index] += 1
    return [shares[index] for index in range(len(shares))]
