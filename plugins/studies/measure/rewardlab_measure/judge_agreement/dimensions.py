"""The agreement of a judge with people dimension by dimension, if a reward scores several of them.

A reward reports its dimensions by `info["scores"]`, {dimension: score in [0, 1]}, and what it quoted by
`info["quoted"]`, how many quotations, and `info["unsupported"]`, {dimension: how many of them are not in the work}.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from rewardlab import Score
from rewardlab_training import kendall_tau_b

from rewardlab_measure.judge_agreement.gold_rows import GoldCase
from rewardlab_measure.judge_agreement.measures import cluster_interval, kappa_average

Said = tuple[str, float, float | None, int]
"""(dimension, people's score, the judge's; None if it has none, the cluster of the case)"""
Judged = tuple[GoldCase, Sequence[Score], int]
"""a case, its scores in the row's order, and its cluster"""


def dimension_tables(judged: Sequence[Judged]) -> dict[str, Any] | None:
    """Return {"all", "dimension": {name: measures}, "language": {...}, "kind": {...}, "others"}; None without people's.

    Each of the measures is over all dimensions of its slice; see `dimension_measures`. others: people's dimensions that
    the judge never names, such as those of another checklist; they count nowhere.
    """
    people = {name for case, _, _ in judged for scores in case.dimensions for name in scores}
    if not people:
        return None
    named = {name for _, scores, _ in judged for score in scores for name in _named(score)}
    others = sorted(name for name in people if named and _key(name) not in named)
    pairs = [
        (judgement[0], entry)
        for judgement in judged
        for entry in _scores_by_dimension(*judgement)
        if entry[0] not in others
    ]
    slices: dict[str, dict[str, list[Said]]] = {"dimension": {}, "language": {}, "kind": {}}
    for case, entry in pairs:
        for field, value in (("dimension", entry[0]), ("language", case.language), ("kind", case.kind)):
            if value is not None:
                slices[field].setdefault(value, []).append(entry)
    return {
        "all": dimension_measures([entry for _, entry in pairs]),
        **{
            field: {name: dimension_measures(of_value) for name, of_value in sorted(values.items())}
            for field, values in slices.items()
        },
        "others": others,
    }


def dimension_measures(pairs: Sequence[Said]) -> dict[str, Any]:
    """Measure a judge against people, over (completion, dimension).

    scores: all of them. missing: those without the judge's, which count nowhere else. agreement: the share of equal
    scores. kappa: Cohen's, of scores as labels. kendall_tau: tau-b over all of them. lead: the mean of the judge's
    score less people's, in [-1, 1]; above 0 it is the kinder one. A measure of nothing is None. MEASURE_interval: its
    interval of 95%, where those of one cluster count together.
    """
    known = [(value, gold) for _, gold, value, _ in pairs if value is not None]
    clusters = [cluster for _, _, value, cluster in pairs if value is not None]
    values, gold = [value for value, _ in known], [other for _, other in known]
    alike = [float(value == other) for value, other in known]
    kappa = kappa_average(known, clusters)
    return {
        "scores": len(pairs),
        "missing": len(pairs) - len(known),
        "agreement": fmean(alike) if known else None,
        "agreement_interval": cluster_interval(alike, clusters),
        "kappa": kappa and kappa.mean,
        "kappa_interval": kappa and kappa.interval,
        "kendall_tau": kendall_tau_b(values, gold),
        "lead": fmean(value - other for value, other in known) if known else None,
    }


def quotations(scores: Sequence[Score]) -> dict[str, int] | None:
    """Return {"quoted", "unsupported"}, counts over all scores; None if the reward records none."""
    infos = [score.info for score in scores if isinstance(score.info.get("quoted"), int)]
    if not infos:
        return None
    return {
        "quoted": sum(info["quoted"] for info in infos),
        "unsupported": sum(sum((info.get("unsupported") or {}).values()) for info in infos),
    }


def _scores_by_dimension(case: GoldCase, scores: Sequence[Score], cluster: int) -> list[Said]:
    compared: list[Said] = []
    for people, score in zip(case.dimensions, scores, strict=False):  # a case without dimensions has none of anyone
        given = score.info.get("scores")
        by_dimension = (
            {_key(name): score_given for name, score_given in given.items()} if isinstance(given, Mapping) else {}
        )
        compared += [(name, gold, by_dimension.get(_key(name)), cluster) for name, gold in people.items()]
    return compared


def _named(score: Score) -> list[str]:
    """Return the dimensions that a score reports, with a number or as missing."""
    return [_key(name) for name in (*(score.info.get("scores") or ()), *(score.info.get("missing") or ()))]


def _key(name: str) -> str:
    return name.strip().casefold()
