"""How far the verdicts of one group agree: position bias, agreement of both orders, intransitivity."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rewardlab_pairwise.tally import Judged, Pair, mean_of_known


def consistency(judged: Mapping[Pair, Judged]) -> dict[str, Any]:
    """What the calls of a group say about their judge; each counts once, wherever scores use it.

    calls, tokens, unparsable, failed: of the calls (tokens that no server told count 0).
    comparisons, ties, missing: of the unordered pairs asked about. Where both orders were asked, a comparison is
        the mean of both, under `a_only` too; what an unparsable reply is worth there is the reward's policy.
    position_bias: 2 * (share of calls won by the answer listed first) - 1, in [-1, 1], over calls with a verdict.
        Of a pair that was asked in both orders both must have one: the order that is left alone would show which
        answer is better, too.
    order_agreement: of the pairs with a verdict in both orders, the share in [0, 1] whose verdicts name one winner.
    triples, intransitive, intransitivity: triples of texts all three comparisons of which are there; those that
        are cyclic (i beats j, j beats k, k beats i, each by more than a half); their share in [0, 1], the hard
        non-transitivity PNT of Xu et al. 2025, "Investigating Non-Transitivity in LLM-as-a-Judge".

    A share of nothing is None.
    """
    pairs = _by_pair(judged)
    shares = {pair: _share(orders) for pair, orders in pairs.items()}
    outcomes = Counter(shares.values())
    said = Counter(answer.said for answer in judged.values())
    decided = [orders for orders in pairs.values() if all(answer.said in ("A", "B") for answer in orders)]
    first_won = _fraction(answer.said == "A" for orders in decided for answer in orders)
    return {
        "calls": len(judged),
        "tokens": sum(answer.tokens for answer in judged.values()),
        "comparisons": len(pairs),
        "ties": outcomes[0.5],
        "missing": outcomes[None],
        "unparsable": said["unparsable"],
        "failed": said["failed"],
        "position_bias": None if first_won is None else 2 * first_won - 1,
        "order_agreement": _fraction(orders[0].said != orders[1].said for orders in decided if len(orders) == 2),
        **_intransitivity(shares),
    }


def _by_pair(judged: Mapping[Pair, Judged]) -> dict[Pair, list[Judged]]:
    """For each unordered pair what came of its one order, or of both; the key is the pair in the first of them."""
    pairs: dict[Pair, list[Judged]] = {}
    for (first, second), answer in judged.items():
        if (second, first) in pairs:
            pairs[second, first].append(answer)
        else:
            pairs[first, second] = [answer]
    return pairs


def _share(orders: Sequence[Judged]) -> float | None:
    """P(the pair's first text wins) in [0, 1]; None where no order counts."""
    return mean_of_known([orders[0].first_wins, *(answer.second_wins for answer in orders[1:])])


def _fraction(cases: Iterable[bool]) -> float | None:
    counts = Counter(cases)
    return counts[True] / counts.total() if counts else None


def _intransitivity(shares: Mapping[Pair, float | None]) -> dict[str, Any]:
    met, beats, loses = (defaultdict[str, set[str]](set) for _ in range(3))
    for (one, other), share in shares.items():
        if share is None:
            continue
        met[one].add(other)
        met[other].add(one)
        if share != 0.5:
            winner, loser = (one, other) if share > 0.5 else (other, one)
            beats[winner].add(loser)
            loses[loser].add(winner)
    # each triple is found at its three comparisons
    triples = sum(len(met[one] & met[other]) for (one, other), share in shares.items() if share is not None) // 3
    cyclic = sum(len(beats[loser] & loses[winner]) for winner in list(beats) for loser in beats[winner]) // 3
    return {"triples": triples, "intransitive": cyclic, "intransitivity": cyclic / triples if triples else None}
