"""The share of prompts on whose N answers a judge's verdicts contain a circle, for each N."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from random import Random

from rewardlab_measure.judge_agreement.judge_verdicts import JudgeCalls

MAX_SUBSETS = 100
"""Subsets of one size that are looked at in one group: all of up to nine answers but for a few sizes, else a draw."""


def cyclic_share_by_size(groups: Iterable[JudgeCalls]) -> dict[int, float]:
    """Return {N: share in [0, 1] of the groups of N answers that no order ranks}, for N from 3 to the largest group.

    No order ranks answers of which some i beats j, j beats k and k beats i; a win is more than half of a pair's calls.
    The answers of a larger group are looked at in subsets of N, and the mean is over groups, each of which counts
    once. A subset counts if each of its pairs has a verdict in every order that was asked.
    Source: SP3F, figure 5, whose N = 3 is the hard non-transitivity PNT of Xu et al. 2025.
    """
    shares: defaultdict[int, list[float]] = defaultdict(list)
    for calls in groups:
        for size, share in _shares(calls):
            shares[size].append(share)
    return {size: sum(of_size) / len(of_size) for size, of_size in sorted(shares.items())}


def _shares(calls: JudgeCalls) -> Iterator[tuple[int, float]]:
    """Yield (N, share of the subsets of N with a circle) of one group."""
    known, beats = _tournament(calls)
    answers = sorted({place for pair in known for place in pair})
    gaps = [set(pair) for pair in combinations(answers, 2) if pair not in known]
    circles = [set(three) for three in combinations(answers, 3) if _is_circle(three, beats)]
    for size in range(3, len(answers) + 1):
        subsets = [subset for subset in map(set, _subsets(answers, size)) if not any(gap <= subset for gap in gaps)]
        if subsets:
            yield size, sum(any(circle <= subset for circle in circles) for subset in subsets) / len(subsets)


def _tournament(calls: JudgeCalls) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return (pairs that are decided, lower place first), (pairs of winner and loser)."""
    known, beats = set(), set()
    for orders in calls.decided():
        lower, higher = sorted(orders[0])
        known.add((lower, higher))
        won = sum((calls.verdicts[first, second] == "A") == (first == lower) for first, second in orders)
        if 2 * won != len(orders):
            beats.add((lower, higher) if 2 * won > len(orders) else (higher, lower))
    return known, beats


def _is_circle(three: tuple[int, ...], beats: set[tuple[int, int]]) -> bool:
    i, j, k = three
    return {(i, j), (j, k), (k, i)} <= beats or {(j, i), (k, j), (i, k)} <= beats


def _subsets(answers: Sequence[int], size: int) -> Iterable[Sequence[int]]:
    """Return the subsets (size,) in order, or a draw of them, the same in every run."""
    if comb(len(answers), size) <= MAX_SUBSETS:
        return combinations(answers, size)
    draw = Random(size)
    return [sorted(draw.sample(answers, size)) for _ in range(MAX_SUBSETS)]
