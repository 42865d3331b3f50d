"""Measure how far the verdicts of one group agree: position bias, agreement of both orders, intransitivity."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from rewardlab_pairwise.tally import Pair, PairVerdict, share_of


def consistency(verdicts: Mapping[Pair, PairVerdict]) -> dict[str, Any]:
    """Return statistics of a judge from the calls of a group; each counts once, however many scores use it.

    calls, tokens, unparsable, failed: counts of the calls (tokens that the server did not report count 0).
    comparisons, ties, missing: counts of the unordered pairs asked about. If both orders were asked, a comparison is
        the mean of both, under `a_only`, too; the reward's options set the value of an unparsable reply.
    position_bias: 2 * (share of calls won by the answer listed first) - 1, in [-1, 1], over calls with a verdict.
        If both orders of a pair were asked, both must have one: a single order would also show which answer is
        better.
    order_agreement: the share in [0, 1] of the pairs with a verdict in both orders whose verdicts name one winner.
    triples, intransitive, intransitivity: triples of texts with all three comparisons; those that are cyclic (i beats
        j, j beats k, k beats i, each by more than a half); their share in [0, 1], the hard non-transitivity PNT of
        Xu et al. 2025, "Investigating Non-Transitivity in LLM-as-a-Judge".

    A share of nothing is None.
    """
    pairs = _by_pair(verdicts)
    shares = {pair: share_of(verdicts, *pair) for pair in pairs}
    outcomes = Counter(shares.values())
    counts = Counter(call.verdict for call in verdicts.values())
    decided = [orders for orders in pairs.values() if all(call.verdict in ("A", "B") for call in orders)]
    first_won = _fraction(call.verdict == "A" for orders in decided for call in orders)
    return {
        "calls": len(verdicts),
        "tokens": sum(call.tokens for call in verdicts.values()),
        "comparisons": len(pairs),
        "ties": outcomes[0.5],
        "missing": outcomes[None],
        "unparsable": counts["unparsable"],
        "failed": counts["failed"],
        "position_bias": None if first_won is None else 2 * first_won - 1,
        "order_agreement": _fraction(orders[0].verdict != orders[1].verdict for orders in decided if len(orders) == 2),
        **_intransitivity(shares),
    }


def _by_pair(verdicts: Mapping[Pair, PairVerdict]) -> dict[Pair, list[PairVerdict]]:
    """Return the verdicts on each unordered pair, in one order or both; the key is the pair in the first of them."""
    pairs: dict[Pair, list[PairVerdict]] = {}
    for (first, second), call in verdicts.items():
        if (second, first) in pairs:
            pairs[second, first].append(call)
        else:
            pairs[first, second] = [call]
    return pairs


def _fraction(cases: Iterable[bool]) -> float | None:
    counts = Counter(cases)
    return counts[True] / counts.total() if counts else None


def _intransitivity(shares: Mapping[Pair, float | None]) -> dict[str, Any]:
    met, beats, loses = (defaultdict[str, set[str]](set) for _ in range(3))
    for (first, other), share in shares.items():
        if share is None:
            continue
        met[first].add(other)
        met[other].add(first)
        if share != 0.5:
            winner, loser = (first, other) if share > 0.5 else (other, first)
            beats[winner].add(loser)
            loses[loser].add(winner)
    # each triple is found at its three comparisons
    triples = sum(len(met[first] & met[other]) for (first, other), share in shares.items() if share is not None) // 3
    cyclic = sum(len(beats[loser] & loses[winner]) for winner in list(beats) for loser in beats[winner]) // 3
    return {"triples": triples, "intransitive": cyclic, "intransitivity": cyclic / triples if triples else None}
