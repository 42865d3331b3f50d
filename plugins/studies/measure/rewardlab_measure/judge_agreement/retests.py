"""The retest of a judge: how often a question that is asked again gets another verdict, and how judges agree.

The core notes all values of a completion under `info["repeats"]`: {"values": {judge: one a draw, None where it has
none}, "spread", "scores": {judge: {criterion: score} a draw}}, the last one if the reward scores criteria.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from rewardlab import Score

from rewardlab_measure.judge_agreement.measures import cluster_interval

Draws = Sequence[float | None]
Values = Mapping[str, Draws]
Share = tuple[float, int]
"""a share of draws, or of judges, in [0, 1], and the cluster of what they are about"""


def repeated_values(score: Score) -> Values:
    """Return all values of a completion, of each judge that was asked; none without repeats or a panel."""
    values: Values = _repeats(score).get("values") or {}
    return values


def pair_flips(values: Sequence[Values], gold: Sequence[float]) -> list[float]:
    """Return, for each pair of completions (G,) with different gold, the share of two draws that order it otherwise.

    A tie is an order of its own. Left out are pairs of which no judge has given both values twice.
    """
    orders = (
        [[_sign(a, b) for a, b in zip(one, other, strict=False) if None not in (a, b)] for one, other in pair.values()]
        for pair in _pairs(values, gold)
    )
    return [share for of_pair in orders if (share := _differing(of_pair)) is not None]


def panel_agreement(values: Sequence[Values], gold: Sequence[float]) -> list[float]:
    """Return, for each pair of completions with different gold, the share of two judges that order it alike."""
    agreed = []
    for pair in _pairs(values, gold):
        means = [(_mean(one), _mean(other)) for one, other in pair.values()]
        share = _differing([[_sign(one, other) for one, other in means if None not in (one, other)]])
        agreed += [] if share is None else [1.0 - share]
    return agreed


def criterion_flips(scored: Iterable[tuple[Score, int]]) -> dict[str, dict[str, Any]]:
    """Return {criterion: measures}, names sorted, of scores with their clusters; see `flips`."""
    shares: dict[str, list[Share]] = {}
    for score, cluster in scored:
        by_judge = (_repeats(score).get("scores") or {}).values()
        said = [[draw for draw in draws if isinstance(draw, Mapping)] for draws in by_judge]
        for name in {name for draws in said for draw in draws for name in draw}:
            given = [[draw[name] for draw in draws if name in draw] for draws in said]
            if (share := _differing(given)) is not None:
                shares.setdefault(name, []).append((share, cluster))
    return {name: flips(of_name) for name, of_name in sorted(shares.items())}


def flips(shares: Sequence[Share]) -> dict[str, Any]:
    """Return {"retests": of how many, "retest_flips": the mean share, None of none, "retest_flips_interval"}."""
    return {"retests": len(shares), **share_of("retest_flips", shares)}


def share_of(name: str, shares: Sequence[Share]) -> dict[str, Any]:
    """Return the mean of shares, and its interval of 95%, where those of one cluster count together."""
    values, clusters = [value for value, _ in shares], [cluster for _, cluster in shares]
    return {name: fmean(values) if values else None, f"{name}_interval": cluster_interval(values, clusters)}


def spreads(scores: Iterable[Score]) -> list[float]:
    """Return the standard deviation of each completion's values, of those that have some."""
    return [spread for score in scores if isinstance(spread := _repeats(score).get("spread"), float)]


def _repeats(score: Score) -> Mapping[str, Any]:
    repeats = score.info.get("repeats")
    return repeats if isinstance(repeats, Mapping) else {}


def _pairs(values: Sequence[Values], gold: Sequence[float]) -> Iterator[dict[str, tuple[Draws, Draws]]]:
    """Yield both completions' values of each pair with different gold, by the judges that were asked about both."""
    for i, j in combinations(range(len(gold)), 2):
        if gold[i] != gold[j]:
            yield {judge: (values[i][judge], values[j][judge]) for judge in values[i] if judge in values[j]}


def _sign(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


def _mean(values: Draws) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _differing(lists: Iterable[Sequence[Any]]) -> float | None:
    """Return the share of the pairs within the lists that differ; None if there is no pair."""
    different = [one != other for values in lists for one, other in combinations(values, 2)]
    return fmean(different) if different else None
