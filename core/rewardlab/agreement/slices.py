"""From judged cases to numbers: of all cases, and of those that share a language or a kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rewardlab.agreement.calls import COUNTS, CYCLES, WINNERS, Said
from rewardlab.agreement.measures import cohen_kappa, kendall_tau_b, wilson
from rewardlab.agreement.pairs import Case
from rewardlab.types import Score


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A case with what one component said of it. scores: (G,) in the row's order; `said` is by place (`case.order`)."""

    case: Case
    scores: Sequence[Score]
    said: Said

    def outcomes(self) -> list[float | None]:
        """One for each pair of completions with different gold.

        1 where the better one has the higher value, 0 the lower, 0.5 for equal values; None where one is missing.
        """
        gold, values = self.case.gold, [score.value for score in self.scores]
        found: list[float | None] = []
        for i, j in combinations(range(len(gold)), 2):
            if gold[i] == gold[j]:
                continue
            better, worse = (values[i], values[j]) if gold[i] > gold[j] else (values[j], values[i])
            if better is None or worse is None:
                found.append(None)
            else:
                found.append(1.0 if better > worse else 0.0 if better < worse else 0.5)
        return found

    def tau(self) -> float | None:
        """Kendall's tau-b of values and gold over the completions with a value; None where it is not defined."""
        known = [(s.value, gold) for s, gold in zip(self.scores, self.case.gold, strict=True) if s.value is not None]
        return kendall_tau_b([value for value, _ in known], [gold for _, gold in known])

    def calls_against_gold(self) -> list[tuple[bool, bool]]:
        """For each call with a verdict about different gold: (the verdict names the first, gold does)."""
        gold = [self.case.gold[index] for index in self.case.order]
        return [
            (verdict == "A", gold[first] > gold[second])
            for (first, second), verdict in self.said.verdicts.items()
            if verdict in WINNERS and gold[first] != gold[second]
        ]


def tables(judged: Sequence[Judged]) -> dict[str, Any]:
    """{"all": measures, "language": {name: measures}, "kind": {name: measures}}, names sorted."""
    by_field: dict[str, dict[str, Any]] = {}
    for field in ("language", "kind"):
        names = sorted({name for j in judged if (name := getattr(j.case, field)) is not None})
        by_field[field] = {name: measures([j for j in judged if getattr(j.case, field) == name]) for name in names}
    return {"all": measures(judged), **by_field}


def measures(judged: Sequence[Judged]) -> dict[str, Any]:
    """What one slice says of the judge. A measure of nothing is None; every share is in [0, 1].

    rows: groups. pairs: of completions with different gold, one for a row with chosen and rejected.
    missing: pairs without both values; they count nowhere else. accuracy: mean of 1, 0, and 0.5 for `ties`.
    interval: Wilson's, 95%, as if pairs were independent (those of one list are not).
    kendall_tau: mean over the `tau_rows` lists where it is defined.
    kappa: of verdicts and gold, over calls. kappa_orders: of the two orders of a pair.
    position_bias: in [-1, 1]; 1 if whoever stands first always wins. order_agreement: share of pairs.
    intransitivity: share of the `triples` that are cyclic. intransitive_rows: share of rows with triples.
    parse_failures: share of the calls.
    """
    outcomes = [outcome for j in judged for outcome in j.outcomes()]
    known = [outcome for outcome in outcomes if outcome is not None]
    taus = [tau for j in judged if not j.case.is_pair and (tau := j.tau()) is not None]
    return {
        "rows": len(judged),
        "pairs": len(outcomes),
        "missing": len(outcomes) - len(known),
        "ties": known.count(0.5),
        "accuracy": _share(sum(known), len(known)),
        "interval": wilson(sum(known), len(known)),
        "kendall_tau": _share(sum(taus), len(taus)),
        "tau_rows": len(taus),
        "kappa": cohen_kappa([labels for j in judged for labels in j.calls_against_gold()]),
        **_orders([j.said for j in judged]),
        **_counted([j.said for j in judged]),
    }


def _orders(said: Sequence[Said]) -> dict[str, float | None]:
    first_won = [one.verdicts[call] == "A" for one in said for calls in one.decided() for call in calls]
    twice = [labels for one in said for labels in one.lower_won()]
    return {
        # by place: places say nothing about gold, so that a judge that is always right has a kappa of 1, too
        "kappa_orders": cohen_kappa(twice),
        "order_agreement": _share(sum(one == other for one, other in twice), len(twice)),
        "position_bias": 2 * sum(first_won) / len(first_won) - 1 if first_won else None,
    }


def _counted(said: Sequence[Said]) -> dict[str, Any]:
    totals: dict[str, int | None] = {}
    for name in (*COUNTS, *CYCLES):
        known = [one.counts[name] for one in said if name in one.counts]
        totals[name] = sum(known) if known else None
    with_triples = [one.counts["intransitive"] > 0 for one in said if one.counts.get("triples")]
    return {
        **totals,
        "parse_failures": _share(totals["unparsable"], totals["calls"]),
        "intransitivity": _share(totals["intransitive"], totals["triples"]),
        "intransitive_rows": _share(sum(with_triples), len(with_triples)),
    }


def _share(part: float | None, whole: int | None) -> float | None:
    return None if part is None or not whole else part / whole
