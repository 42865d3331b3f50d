"""The measures of judged cases: of all cases, and of those that share a language or a kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

from rewardlab import Score
from rewardlab_training import kendall_tau_b

from rewardlab_measure.judge_agreement.cycles import cyclic_share_by_size
from rewardlab_measure.judge_agreement.dimensions import dimension_tables, quotations
from rewardlab_measure.judge_agreement.gold_rows import GoldCase
from rewardlab_measure.judge_agreement.judge_verdicts import COUNTS, CYCLES, WINNERS, JudgeCalls
from rewardlab_measure.judge_agreement.measures import cluster_interval, kappa_average
from rewardlab_measure.judge_agreement.retests import (
    criterion_flips,
    flips,
    pair_flips,
    panel_agreement,
    repeated_values,
    share_of,
    spreads,
)

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class JudgedCase:
    """A case, judged by one component.

    Args:
        scores: (G,) in the row's order.
        calls: by place (`case.order`).
        cluster: that of the case; cases of one cluster are not independent.
    """

    case: GoldCase
    cluster: int
    scores: Sequence[Score]
    calls: JudgeCalls

    def outcomes(self) -> list[float | None]:
        """Return a number for each pair of completions with different gold.

        1 if the better one has the higher value, 0 if it has the lower, 0.5 for equal values; None if one is missing.
        """
        gold, values = self.case.gold, [score.value for score in self.scores]
        results: list[float | None] = []
        for i, j in combinations(range(len(gold)), 2):
            if gold[i] == gold[j]:
                continue
            better, worse = (values[i], values[j]) if gold[i] > gold[j] else (values[j], values[i])
            if better is None or worse is None:
                results.append(None)
            else:
                results.append(1.0 if better > worse else 0.0 if better < worse else 0.5)
        return results

    def tau(self) -> float | None:
        """Return Kendall's tau-b of values and gold over the completions with a value; None if it is undefined."""
        known = [(s.value, gold) for s, gold in zip(self.scores, self.case.gold, strict=True) if s.value is not None]
        return kendall_tau_b([value for value, _ in known], [gold for _, gold in known])

    def calls_against_gold(self) -> list[tuple[bool, bool]]:
        """Return (the verdict names the first, gold does) for each call with a verdict about different gold."""
        gold = [self.case.gold[index] for index in self.case.order]
        return [
            (verdict == "A", gold[first] > gold[second])
            for (first, second), verdict in self.calls.verdicts.items()
            if verdict in WINNERS and gold[first] != gold[second]
        ]


def tables(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    """Return {"all": measures, "language": {name: measures}, "kind": {name: measures}}, names sorted.

    Where rows have people's scores by dimension also "dimensions", see `dimension_tables`, "quotations" of a reward
    that counts them, and "criteria", see `criterion_flips`, of one that scores criteria and was asked again.
    """
    by_field: dict[str, dict[str, Any]] = {}
    for field in ("language", "kind"):
        names = sorted({name for j in judged if (name := getattr(j.case, field)) is not None})
        by_field[field] = {name: measures([j for j in judged if getattr(j.case, field) == name]) for name in names}
    cases = [(j.case, j.scores, j.cluster) for j in judged]
    more = {
        "dimensions": dimension_tables(cases),
        "quotations": quotations([score for j in judged for score in j.scores]),
        "criteria": criterion_flips((score, j.cluster) for j in judged for score in j.scores) or None,
    }
    return {"all": measures(judged), **by_field, **{name: table for name, table in more.items() if table is not None}}


def measures(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    """Measure the judge on one slice of the cases. A measure of nothing is None; every share is in [0, 1].

    rows: groups. clusters: of rows, which are independent of each other. Intervals are of 95%, and None of one cluster.
    pairs: of completions with different gold, one for a row with chosen and rejected.
    missing: pairs without both values; they count nowhere else. accuracy: mean of 1, 0, and 0.5 for `ties`.
    interval: of accuracy. MEASURE_interval: of others.
    kendall_tau: mean over the `tau_rows` lists for which it is defined.
    kappa: of verdicts and gold, over calls. kappa_orders: of the two orders of a pair.
    position_bias: in [-1, 1]; 1 if the answer that stands first always wins. order_agreement: share of pairs.
    intransitivity: share of the `triples` that are cyclic. intransitive_rows: share of rows with triples.
    intransitive_by_size: {N: share of the groups of N answers that have such a triple}.
    parse_failures: share of the calls.
    retest_flips: share of two draws of one judge that order a pair otherwise, over `retests` pairs; panel_agreement: of
    two judges that order it alike; spread: mean standard deviation of a completion's values. None without repeats.
    """
    outcomes = [(outcome, j.cluster) for j in judged for outcome in j.outcomes()]
    known, clusters = _apart([(outcome, cluster) for outcome, cluster in outcomes if outcome is not None])
    taus, tau_clusters = _apart([(t, j.cluster) for j in judged if not j.case.is_pair and (t := j.tau()) is not None])
    against_gold = [(labels, j.cluster) for j in judged for labels in j.calls_against_gold()]
    return {
        "rows": len(judged),
        "clusters": len({j.cluster for j in judged}),
        "pairs": len(outcomes),
        "missing": len(outcomes) - len(known),
        "ties": known.count(0.5),
        "accuracy": _share(sum(known), len(known)),
        "interval": cluster_interval(known, clusters),
        "kendall_tau": _share(sum(taus), len(taus)),
        "kendall_tau_interval": cluster_interval(taus, tau_clusters, low=-1),
        "tau_rows": len(taus),
        **_kappa("kappa", against_gold),
        **_orders(judged),
        **_counted([j.calls for j in judged]),
        "intransitive_by_size": cyclic_share_by_size(j.calls for j in judged),
        **_asked_again(judged),
    }


def _asked_again(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    values = [(list(map(repeated_values, j.scores)), j.case.gold, j.cluster) for j in judged]
    known = spreads(score for j in judged for score in j.scores)
    agreed = [(share, cluster) for given, gold, cluster in values for share in panel_agreement(given, gold)]
    return {
        **flips([(share, cluster) for given, gold, cluster in values for share in pair_flips(given, gold)]),
        **share_of("panel_agreement", agreed),
        "spread": _share(sum(known), len(known)),
    }


def _orders(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    first_won, clusters = _apart(
        [
            (1.0 if j.calls.verdicts[call] == "A" else -1.0, j.cluster)
            for j in judged
            for pair in j.calls.decided()
            for call in pair
        ]
    )
    twice = [(labels, j.cluster) for j in judged for labels in j.calls.lower_won()]
    agreed, agreed_clusters = _apart([(float(first == other), cluster) for (first, other), cluster in twice])
    return {
        # by place, since places say nothing about gold: a judge that is always right then has a kappa of 1, too
        **_kappa("kappa_orders", twice),
        "order_agreement": _share(sum(agreed), len(agreed)),
        "order_agreement_interval": cluster_interval(agreed, agreed_clusters),
        "position_bias": _share(sum(first_won), len(first_won)),
        "position_bias_interval": cluster_interval(first_won, clusters, low=-1),
    }


def _kappa(name: str, labelled: Sequence[tuple[tuple[bool, bool], int]]) -> dict[str, Any]:
    average = kappa_average(*_apart(labelled))
    return {name: average and average.mean, f"{name}_interval": average and average.interval}


def _apart(values: Sequence[tuple[Value, int]]) -> tuple[list[Value], list[int]]:
    """Return the values, and the cluster of each."""
    return [value for value, _ in values], [cluster for _, cluster in values]


def _counted(calls: Sequence[JudgeCalls]) -> dict[str, Any]:
    totals: dict[str, int | None] = {}
    for name in (*COUNTS, *CYCLES):
        known = [case.counts[name] for case in calls if name in case.counts]
        totals[name] = sum(known) if known else None
    with_triples = [case.counts["intransitive"] > 0 for case in calls if case.counts.get("triples")]
    return {
        **totals,
        "parse_failures": _share(totals["unparsable"], totals["calls"]),
        "intransitivity": _share(totals["intransitive"], totals["triples"]),
        "intransitive_rows": _share(sum(with_triples), len(with_triples)),
    }


def _share(part: float | None, whole: int | None) -> float | None:
    return None if part is None or not whole else part / whole
