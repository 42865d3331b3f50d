"""From parts of totals to contributions to shaped rewards."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.causes.parts import Parts, mean

ROUNDING = 1e-12
"""Totals that differ by less than this share of the largest part are equal but for rounding."""
SAME = 1e-10
"""Rests that differ by less than this share of the largest contribution are the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contributions:
    """of: name -> contributions; rest: what no component gave. They add up to the shaped rewards."""

    of: dict[str, list[float]]
    rest: list[float]


def of_totals(parts: Parts, count: int) -> Contributions:
    """Where nothing normalizes: the parts as they are."""
    return Contributions(of={name: list(values) for name, values in parts.of.items()}, rest=[parts.constant] * count)


def of_shaped(parts: Parts, shaped: Sequence[float], kept: Sequence[int], slope: float) -> Contributions:
    """slope * (a part - its mean over all n); kept: places among the n parts of the shaped rewards, in their order.

    The rest is the same for all where the shaped rewards lie on a line of this slope, else what is left of each.
    """
    of = {}
    for name, values in parts.of.items():
        middle = mean(values) if values else 0.0
        of[name] = [slope * (values[place] - middle) + 0.0 for place in kept]
    rest = [value - math.fsum(given) for value, *given in zip(shaped, *of.values(), strict=True)]
    rounding = SAME * max(abs(value) for column in (shaped, *of.values()) for value in column)
    if max(rest) - min(rest) <= rounding:
        middle = mean(rest)
        rest = [0.0 if abs(middle) <= rounding else middle] * len(rest)
    return Contributions(of=of, rest=rest)


def slope_of(totals: Sequence[float], shaped: Sequence[float], pool_mean: float, amount: float) -> float:
    """Of the line by least squares through (total, shaped): exact where the normalizer is a line in the group.

    Totals that are equal but for rounding have none, and the slope is 0; unless they lie beside `pool_mean`, the mean
    of a larger pool: a normalizer that centers, which all of ours do, has its 0 there. amount: the largest part.
    """
    least = ROUNDING * max(amount, *map(abs, totals))
    low, spread = min(totals), max(totals) - min(totals)
    if spread <= least:
        beside = mean(totals) - pool_mean
        return mean(shaped) / beside if abs(beside) > least else 0.0
    places = [(total - low) / spread for total in totals]
    middle, level = mean(places), mean(shaped)
    up = math.fsum((place - middle) * (value - level) for place, value in zip(places, shaped, strict=True))
    return up / math.fsum((place - middle) ** 2 for place in places) / spread


def largest(parts: Parts, totals: Sequence[float]) -> float:
    """The largest part or total: what rounding is measured by."""
    return max(
        (abs(value) for values in (*parts.of.values(), totals, (parts.constant,)) for value in values), default=0.0
    )
