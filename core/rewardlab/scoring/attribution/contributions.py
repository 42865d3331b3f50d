"""Contributions to shaped rewards, made from the parts of totals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.scoring.attribution.decomposition import TotalParts, mean

ROUNDING = 1e-12
"""Totals that differ by less than this share of the largest part are equal but for rounding."""
SAME = 1e-10
"""Rests that differ by less than this share of the largest contribution are the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contributions:
    """The contributions of each component: they and the rest add up to the shaped rewards.

    of: name -> G contributions; rest: G numbers, what no component contributed.
    """

    of: dict[str, list[float]]
    rest: list[float]


def contributions_to_totals(parts: TotalParts, count: int) -> Contributions:
    """Return the parts as they are: the contributions to `count` rewards that nothing normalizes."""
    return Contributions(of={name: list(values) for name, values in parts.of.items()}, rest=[parts.constant] * count)


def contributions_to_shaped(
    parts: TotalParts, shaped: Sequence[float], kept: Sequence[int], slope: float
) -> Contributions:
    """Return the contributions to shaped rewards: slope * (a part - its mean over all n).

    kept: the places of the shaped rewards among the n parts, in their order. The rest is the same for all of them if
    they lie on a line of this slope, else what is left of each.
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
    """Return the slope of the line of least squares through (total, shaped).

    It is exact if the normalizer is a line in the group. It is 0 if the totals are equal but for rounding, unless
    they differ from `pool_mean`, the mean of a larger pool: then the line goes through (pool_mean, 0), as for every
    normalizer that centers, and all of ours do. amount: the largest part or total, by which rounding is measured.
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


def largest_amount(parts: TotalParts, totals: Sequence[float]) -> float:
    """Return the largest absolute part or total, by which rounding is measured."""
    return max(
        (abs(value) for values in (*parts.of.values(), totals, (parts.constant,)) for value in values), default=0.0
    )
