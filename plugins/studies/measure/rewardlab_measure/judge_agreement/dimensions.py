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
    told = {name for _, scores, _ in judged for score in scores for name in _named(score)}
    others = sorted(name for name in people if told and _key(name) not in told)
    said = [(judgement[0], one) for judgement in judged for one in _said(*judgement) if one[0] not in others]
    slices: dict[str, dict[str, list[Said]]] = {"dimension": {}, "language": {}, "kind": {}}
    for case, one in said:
        for field, value in (("dimension", one[0]), ("language", case.language), ("kind", case.kind)):
            if value is not None:
                slices[field].setdefault(value, []).append(one)
    return {
        "all": dimension_measures([one for _, one in said]),
        **{
            field: {name: dimension_measures(found) for name, found in sorted(values.items())}
            for field, values in slices.items()
        },
        "others": others,
    }


def dimension_measures(said: Sequence[Said]) -> dict[str, Any]:
    """Measure a judge against people, over (completion, dimension).

    scores: all of them. missing: those without the judge's, which count nowhere else. agreement: the share of equal
    scores. kappa: Cohen's, of scores as labels. kendall_tau: tau-b over all of them. lead: the mean of the judge's
    score less people's, in [-1, 1]; above 0 it is the kinder one. A measure of nothing is None. MEASURE_interval: its
    interval of 95%, where those of one cluster count together.
    """
    known = [(ours, gold) for _, gold, ours, _ in said if ours is not None]
    clusters = [cluster for _, _, ours, cluster in said if ours is not None]
    ours, gold = [one for one, _ in known], [other for _, other in known]
    alike = [float(one == other) for one, other in known]
    kappa = kappa_average(known, clusters)
    return {
        "scores": len(said),
        "missing": len(said) - len(known),
        "agreement": fmean(alike) if known else None,
        "agreement_interval": cluster_interval(alike, clusters),
        "kappa": kappa and kappa.mean,
        "kappa_interval": kappa and kappa.interval,
        "kendall_tau": kendall_tau_b(ours, gold),
        "lead": fmean(one - other for one, other in known) if known else None,
    }


def quotations(scores: Sequence[Score]) -> dict[str, int] | None:
    """Return {"quoted", "unsupported"}, counts over all scores; None if the reward records none."""
    told = [score.info for score in scores if isinstance(score.info.get("quoted"), int)]
    if not told:
        return None
    return {
        "quoted": sum(info["quoted"] for info in told),
        "unsupported": sum(sum((info.get("unsupported") or {}).values()) for info in told),
    }


def _said(case: GoldCase, scores: Sequence[Score], cluster: int) -> list[Said]:
    saids: list[Said] = []
    for people, score in zip(case.dimensions, scores, strict=False):  # a case without dimensions has none of anyone
        given = score.info.get("scores")
        ours = {_key(name): one for name, one in given.items()} if isinstance(given, Mapping) else {}
        saids += [(name, gold, ours.get(_key(name)), cluster) for name, gold in people.items()]
    return saids


def _named(score: Score) -> list[str]:
    """Return the dimensions that a score reports, with a number or as missing."""
    return [_key(name) for name in (*(score.info.get("scores") or ()), *(score.info.get("missing") or ()))]


def _key(name: str) -> str:
    return name.strip().casefold()
