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

Values = Mapping[str, Sequence[float | None]]
Share = tuple[float, int]
"""a share of draws, or of judges, in [0, 1], and the cluster of what they are about"""


def pair_flips(scores: Sequence[Score], gold: Sequence[float]) -> list[float]:
    """Return, for each pair of completions (G,) with different gold, the share of two draws that order it otherwise.

    A tie is an order of its own. Left out are pairs of which no judge has given both values twice.
    """
    return [share for orders in _orders(scores, gold) if (share := _differing(orders.values())) is not None]


def panel_agreement(scores: Sequence[Score], gold: Sequence[float]) -> list[float]:
    """Return, for each pair of completions with different gold, the share of two judges that order it alike."""
    agreed = []
    for values in _pairs(scores, gold):
        means = [[_mean(of_one) for of_one in of_both] for of_both in zip(*map(dict.values, values), strict=True)]
        signs = [_sign(one, other) for one, other in means if one is not None and other is not None]
        agreed += [1.0 - share] if (share := _differing([signs])) is not None else []
    return agreed


def criterion_flips(scored: Iterable[tuple[Score, int]]) -> dict[str, dict[str, Any]]:
    """Return {criterion: measures}, names sorted, of scores with their clusters; see `flips`."""
    shares: dict[str, list[Share]] = {}
    for score, cluster in scored:
        by_judge = _repeats(score).get("scores") or {}
        names = {name for draws in by_judge.values() for draw in draws for name in draw or ()}
        for name in names:
            given = [[draw[name] for draw in draws if draw and name in draw] for draws in by_judge.values()]
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


def _pairs(scores: Sequence[Score], gold: Sequence[float]) -> Iterator[tuple[Values, Values]]:
    """Yield the values of both completions of each pair with different gold, by the judges that they share."""
    given: list[Values] = [_repeats(score).get("values") or {} for score in scores]
    for i, j in combinations(range(len(gold)), 2):
        if gold[i] != gold[j]:
            shared = [judge for judge in given[i] if judge in given[j]]
            yield {judge: given[i][judge] for judge in shared}, {judge: given[j][judge] for judge in shared}


def _orders(scores: Sequence[Score], gold: Sequence[float]) -> Iterator[dict[str, list[int]]]:
    """Yield how each draw orders each pair: judge -> a sign for each draw that has both values."""
    for one, other in _pairs(scores, gold):
        yield {
            judge: [_sign(a, b) for a, b in zip(one[judge], other[judge], strict=False) if None not in (a, b)]
            for judge in one
        }


def _sign(one: Any, other: Any) -> int:
    return (one > other) - (one < other)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _differing(lists: Iterable[Sequence[Any]]) -> float | None:
    """Return the share of the pairs within the lists that differ; None if there is no pair."""
    different = [one != other for values in lists for one, other in combinations(values, 2)]
    return fmean(different) if different else None
