"""The outcome of each case of a benchmark: whether the judge was right, and on a scale its score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from rewardlab import Score

from rewardlab_measure.judge_agreement.judge_verdicts import WINNERS
from rewardlab_measure.judge_agreement.slices import JudgedCase
from rewardlab_measure.judge_benchmarks.benchmark_format import JudgeBenchmark
from rewardlab_measure.judge_benchmarks.row_cases import BenchmarkCase

Positions = Literal["official", "both"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one case.

    Args:
        right: in [0, 1], the share of the orders that count in which the judge was right; None if an answer is
            missing, which is never wrong.
        unparsable: a reply without a verdict, which is.
        tied: no answer, or none of two truths, was preferred.
        in_both: right in both orders; None unless both count.
        score: the judge's, on the benchmark's scale; None if unknown.
        gold: the right score, on the same scale.
        cluster: of the case; those of one are not independent.
    """

    right: float | None
    unparsable: bool = False
    tied: bool = False
    in_both: bool | None = None
    score: float | None = None
    gold: float | None = None
    slices: Mapping[str, str] = field(default_factory=dict)
    cluster: int = 0


MISSING = Outcome(right=None)
UNPARSABLE = Outcome(right=0.0, unparsable=True)


def outcome_of(benchmark: JudgeBenchmark, case: BenchmarkCase, judged: JudgedCase, positions: Positions) -> Outcome:
    """Return the outcome of a case that one component judged."""
    if benchmark.measure == "pairs":
        outcome = _by_calls(case, judged, positions) if judged.calls.verdicts else _by_values(judged)
    elif benchmark.measure == "choices":
        outcome = _by_choice(judged)
    elif benchmark.measure == "binary":
        outcome = _by_truth(judged)
    elif benchmark.measure == "score":
        outcome = _by_score(benchmark, judged)
    else:
        outcome = _by_preference(benchmark, case, judged, positions)
    return Outcome(**{**vars(outcome), "slices": case.slices, "cluster": judged.cluster})


def _lacking(scores: Sequence[Score]) -> Outcome | None:
    """Return the outcome of values of which one is missing; None if all are there."""
    if all(score.value is not None for score in scores):
        return None
    lost = [score for score in scores if score.value is None]
    return UNPARSABLE if all(map(_is_unparsable, lost)) else MISSING


def _is_unparsable(score: Score) -> bool:
    """Return whether a reply came and held no verdict: the reward counts it, or its reader's raw score is null."""
    return bool(score.info.get("unparsable")) or ("raw" in score.info and score.info["raw"] is None)


def _by_calls(case: BenchmarkCase, judged: JudgedCase, positions: Positions) -> Outcome:
    """Return the outcome of a pair by the calls in the orders that count."""
    places = judged.case.order
    calls = {(places[first], places[second]): verdict for (first, second), verdict in judged.calls.verdicts.items()}
    official = (case.first, 1 - case.first)
    wanted = [official] if positions == "official" else [official, official[::-1]]
    verdicts = [calls.get(order, "failed") for order in wanted]
    if "failed" in verdicts:
        return MISSING
    better = 0 if case.gold[0] > case.gold[1] else 1
    rights = [
        verdict in WINNERS and order["AB".index(verdict)] == better
        for order, verdict in zip(wanted, verdicts, strict=True)
    ]
    return Outcome(
        right=fmean(rights),
        unparsable="unparsable" in verdicts,
        tied=any(verdict not in (*WINNERS, "unparsable") for verdict in verdicts),
        in_both=all(rights) if positions == "both" else None,
    )


def _by_values(judged: JudgedCase) -> Outcome:
    if (lacking := _lacking(judged.scores)) is not None:
        return lacking
    (won,) = judged.outcomes()
    return Outcome(right=float(won == 1.0), tied=won == 0.5)


def _by_choice(judged: JudgedCase) -> Outcome:
    """Return whether the right choice alone has the highest value."""
    if (lacking := _lacking(judged.scores)) is not None:
        return lacking
    values = [score.value for score in judged.scores]
    highest = max(value for value in values if value is not None)
    best = [index for index, value in enumerate(values) if value == highest]
    right = judged.case.gold.index(max(judged.case.gold))
    return Outcome(right=float(best == [right]), tied=len(best) > 1)


def _by_truth(judged: JudgedCase) -> Outcome:
    """Return whether the value is on the right side of one half; on it, it says neither."""
    if (lacking := _lacking(judged.scores)) is not None:
        return lacking
    value, gold = judged.scores[0].value, judged.case.gold[0]
    assert value is not None
    return Outcome(right=float(value != 0.5 and (value > 0.5) == (gold == 1.0)), tied=value == 0.5)


def _by_score(benchmark: JudgeBenchmark, judged: JudgedCase) -> Outcome:
    """Return whether the value, taken from [0, 1] to the scale, is the gold score to the nearest whole number."""
    gold = judged.case.gold[0]
    if (lacking := _lacking(judged.scores)) is not None:
        return Outcome(**{**vars(lacking), "gold": gold})
    lowest, highest = benchmark.scale
    value = judged.scores[0].value
    assert value is not None
    score = lowest + value * (highest - lowest)
    return Outcome(right=float(_nearest(score) == gold), score=score, gold=gold)


def _by_preference(benchmark: JudgeBenchmark, case: BenchmarkCase, judged: JudgedCase, positions: Positions) -> Outcome:
    """Return whether the judge's grade is gold: that of the official call or, of the values, their difference."""
    gold = judged.case.gold[1] - judged.case.gold[0]
    if (lacking := _lacking(judged.scores)) is not None:
        return Outcome(**{**vars(lacking), "gold": gold})
    first, other = (score.value for score in judged.scores)
    assert first is not None
    assert other is not None
    lowest, highest = benchmark.scale
    score = (lowest + highest) / 2 + (other - first) * (highest - lowest) / 2
    if positions == "official":
        verdict, grade = _official_grade(benchmark, case, judged)
        if verdict == "unparsable":
            return Outcome(right=0.0, unparsable=True, gold=gold)
        if verdict == "failed":
            return Outcome(right=None, gold=gold)
        score = score if grade is None else grade
    return Outcome(right=float(_nearest(score) == gold), score=score, gold=gold, tied=score == (lowest + highest) / 2)


def _official_grade(
    benchmark: JudgeBenchmark, case: BenchmarkCase, judged: JudgedCase
) -> tuple[str | None, float | None]:
    """Return (the verdict of the call in the official order, its grade), each None if the reward records none.

    A grade counts from 1, for the answer that stands first, in as many steps as the benchmark's scale has; one on
    another scale is none.
    """
    lowest, highest = benchmark.scale
    first, second = (judged.case.order.index(index) for index in (case.first, 1 - case.first))
    verdict = judged.calls.verdicts.get((first, second))
    recorded = judged.scores[case.first].info.get("raw")
    raw = recorded.get(str(second)) if isinstance(recorded, Mapping) else None
    try:
        grade = float(raw)  # type: ignore[arg-type]  # None is none
    except (TypeError, ValueError):
        return verdict, None
    return verdict, lowest + grade - 1 if 1 <= grade <= highest - lowest + 1 else None


def _nearest(value: float) -> float:
    """Return the whole number nearest to a value on a scale; a half goes away from zero, as people round."""
    rounded = int(abs(value) + 0.5 + 1e-9)
    return float(rounded if value >= 0 else -rounded)
