"""The measures of a licence: accuracy, kappa, position bias and flips, with the intervals that decide."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from rewardlab import Score
from rewardlab_training.licences import LEVEL, Measured

from rewardlab_measure.judge_agreement.measures import kappa_average
from rewardlab_measure.judge_agreement.retests import pair_flips, repeated_values
from rewardlab_measure.judge_agreement.slices import JudgedCase
from rewardlab_measure.tables.averages import TableAverage, clustered_average


def licence_measures(judged: Sequence[JudgedCase]) -> dict[str, Measured]:
    """Return the measures of these cases by their names, without those that nothing says: a bias of single answers.

    kappa: of verdicts and gold, over calls; of a judge without verdicts, of the order of its values.
    """
    outcomes = [(outcome, j.cluster) for j in judged for outcome in j.outcomes() if outcome is not None]
    labelled = [(labels, j.cluster) for j in judged for labels in j.calls_against_gold() or _orders(j)]
    first = [
        (1.0 if j.calls.verdicts[call] == "A" else -1.0, j.cluster)
        for j in judged
        for pair in j.calls.decided()
        for call in pair
    ]
    flips = [
        (share, j.cluster) for j in judged for share in pair_flips(list(map(repeated_values, j.scores)), j.case.gold)
    ]
    averages: Mapping[str, TableAverage | None] = {
        "accuracy": clustered_average(*_apart(outcomes), "share", LEVEL),
        "kappa": kappa_average([labels for labels, _ in labelled], [at for _, at in labelled], LEVEL),
        "position_bias": clustered_average(*_apart(first), "difference", LEVEL),
        "flip_rate": clustered_average(*_apart(flips), "share", LEVEL),
    }
    return {name: _measured(average) for name, average in averages.items() if average is not None}


def first_draws(judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Return the cases with the value of the first draw as each completion's: what a single question is worth."""
    return [replace(j, scores=[_first_draw(score) for score in j.scores]) for j in judged]


def _first_draw(score: Score) -> Score:
    draws = next(iter(repeated_values(score).values()), ())
    return replace(score, value=draws[0]) if draws else score


def _orders(j: JudgedCase) -> list[tuple[bool, bool]]:
    """Return (the values put that answer first, gold does) for each pair with different values and gold.

    Which answer is asked about follows from its text, since kappa wants labels, and places may say which is better.
    """
    if j.calls.verdicts:
        return []
    values, gold = [score.value for score in j.scores], j.case.gold
    texts = {index: j.case.row.group.completions[place].text for place, index in enumerate(j.case.order)}
    marks = []
    for i, k in combinations(range(len(gold)), 2):
        one, other = values[i], values[k]
        if one is not None and other is not None and one != other and gold[i] != gold[k]:
            heads = _digest(texts[i]) < _digest(texts[k])
            marks.append(((one > other) == heads, (gold[i] > gold[k]) == heads))
    return marks


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _apart(values: Sequence[tuple[float, int]]) -> tuple[list[float], list[int]]:
    return [value for value, _ in values], [cluster for _, cluster in values]


def _measured(average: TableAverage) -> Measured:
    return Measured(value=average.mean, low=average.low, high=average.high, labels=average.clusters or 0)
