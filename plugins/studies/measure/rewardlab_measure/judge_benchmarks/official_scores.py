"""The official score of a benchmark, and the measures of all of its cases and of each slice."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from rewardlab_training import kendall_tau_b

from rewardlab_measure.correlation import correlation
from rewardlab_measure.judge_agreement.measures import cluster_interval
from rewardlab_measure.judge_benchmarks.benchmark_format import Average, JudgeBenchmark
from rewardlab_measure.judge_benchmarks.outcomes import Outcome
from rewardlab_measure.judge_benchmarks.resource_classes import level_of

LANGUAGE, RESOURCES, ENGLISH = "language", "resources", "english"


def benchmark_tables(benchmark: JudgeBenchmark, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return {"score", "all", "sections", "slices": {slice: {value: measures}}}.

    score: the official one. all: see `measures`. sections: name -> score, if the benchmark weighs values. The slices
    are the benchmark's own, `language`, `english` (en or other) and `resources` (high, medium, low: classes 5, 3 and 4,
    0 to 2 of Joshi et al. 2020; unknown), each if it has several values.
    """
    return {
        "score": official_score(benchmark, outcomes),
        "all": measures(benchmark, outcomes),
        "sections": _sections(benchmark, outcomes),
        "slices": {name: _sliced(benchmark, by_value) for name, by_value in _slices(outcomes).items()},
    }


def _sliced(benchmark: JudgeBenchmark, outcomes: Mapping[str, Sequence[Outcome]]) -> dict[str, Any]:
    return {
        value: {"score": official_score(benchmark, cases), **measures(benchmark, cases)}
        for value, cases in sorted(outcomes.items())
    }


def _slices(outcomes: Sequence[Outcome]) -> dict[str, dict[str, list[Outcome]]]:
    """Return slice -> value -> outcomes, of those slices that have more than one value."""
    by_slice: dict[str, dict[str, list[Outcome]]] = {}
    for outcome in outcomes:
        language = outcome.slices[LANGUAGE]
        derived = {RESOURCES: level_of(language), ENGLISH: "en" if _is_english(language) else "other"}
        for name, value in {**outcome.slices, **derived}.items():
            by_slice.setdefault(name, {}).setdefault(value, []).append(outcome)
    return {name: values for name, values in by_slice.items() if len(values) > 1}


def _is_english(language: str) -> bool:
    return language.replace("_", "-").split("-")[0] in ("en", "eng")


def measures(benchmark: JudgeBenchmark, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Measure the judge on some cases. A measure of nothing is None.

    cases: all. missing: those without an answer, which count nowhere else. unparsable: those with a reply that holds no
    verdict, which is wrong. accuracy: in [0, 1], of all that are not missing; a tie is wrong. interval: its 95%, where
    the cases of a cluster count together.
    accuracy_parsed: of those that could be read. in_both: the share that is right in both orders.
    kendall_tau (tau-b), pearson: of the judge's scores and gold, over cases.
    """
    known = [outcome for outcome in outcomes if outcome.right is not None]
    parsed = [o.right for o in known if o.right is not None and not o.unparsable]
    both = [outcome.in_both for outcome in known if outcome.in_both is not None]
    judged, gold = _scores_and_gold(benchmark, known)
    return {
        "cases": len(outcomes),
        "clusters": len({outcome.cluster for outcome in outcomes}),
        "missing": len(outcomes) - len(known),
        "unparsable": sum(outcome.unparsable for outcome in known),
        "ties": sum(outcome.tied for outcome in known),
        "accuracy": _accuracy(known),
        "interval": cluster_interval([o.right or 0.0 for o in known], [o.cluster for o in known]),
        "accuracy_parsed": _mean(parsed),
        "in_both": _mean(both),
        "kendall_tau": kendall_tau_b(judged, gold),
        "pearson": correlation(judged, gold),
    }


def _accuracy(outcomes: Iterable[Outcome]) -> float | None:
    return _mean([outcome.right for outcome in outcomes if outcome.right is not None])


def _score(benchmark: JudgeBenchmark, outcomes: Sequence[Outcome]) -> float | None:
    """Return the official measure of some cases, alike."""
    if benchmark.score == "accuracy":
        return _accuracy(outcomes)
    judged, gold = _scores_and_gold(benchmark, [outcome for outcome in outcomes if outcome.right is not None])
    return kendall_tau_b(judged, gold) if benchmark.score == "kendall_tau" else correlation(judged, gold)


def _scores_and_gold(benchmark: JudgeBenchmark, outcomes: Iterable[Outcome]) -> tuple[list[float], list[float]]:
    pairs = []
    for outcome in outcomes:
        score = benchmark.unparsable_as if outcome.unparsable else outcome.score
        if score is not None and outcome.gold is not None:
            pairs.append((score, outcome.gold))
    return [score for score, _ in pairs], [gold for _, gold in pairs]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


# --- the official score


def official_score(benchmark: JudgeBenchmark, outcomes: Sequence[Outcome]) -> float | None:
    """Return the official score of some cases; None of none. Values and sections without cases are left out."""
    return _over(benchmark, benchmark.average.over, outcomes)


def _over(benchmark: JudgeBenchmark, names: Sequence[str], outcomes: Sequence[Outcome]) -> float | None:
    if not names:
        return _leaf(benchmark, outcomes)
    values = sorted({value for outcome in outcomes if (value := outcome.slices.get(names[0])) is not None})
    scores = [_over(benchmark, names[1:], [o for o in outcomes if o.slices.get(names[0]) == value]) for value in values]
    return _mean([score for score in scores if score is not None])


def _leaf(benchmark: JudgeBenchmark, outcomes: Sequence[Outcome]) -> float | None:
    if not benchmark.average.weights:
        return _score(benchmark, outcomes)
    scores = section_scores(benchmark, outcomes).values()
    return _mean([score for score in scores if score is not None])


def section_scores(benchmark: JudgeBenchmark, outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """Return section -> the weighted mean of its values' scores, of those that have cases; None if none has."""
    average: Average = benchmark.average
    by_value: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_value.setdefault(outcome.slices.get(average.weights_of or "", ""), []).append(outcome)
    scores = {value: _score(benchmark, of_value) for value, of_value in by_value.items()}
    sections = {}
    for section, weights in average.weights.items():
        weighted = [(scores.get(value), weight) for value, weight in weights.items()]
        known = [(score, weight) for score, weight in weighted if score is not None]
        whole = sum(weight for _, weight in known)
        sections[section] = sum(score * weight for score, weight in known) / whole if known else None
    return sections


def _sections(benchmark: JudgeBenchmark, outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """Return the sections' scores, each the mean over what the score is averaged over."""
    average = benchmark.average
    if not average.weights:
        return {}
    groups: dict[tuple[str, ...], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(tuple(outcome.slices.get(name, "") for name in average.over), []).append(outcome)
    scores_by_group = [section_scores(benchmark, group) for group in groups.values()]
    return {
        section: _mean([score for scores in scores_by_group if (score := scores[section]) is not None])
        for section in average.weights
    }
