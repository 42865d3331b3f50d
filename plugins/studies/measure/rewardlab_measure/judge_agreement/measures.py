"""Measures of agreement: Cohen's kappa, and intervals in which what is not independent counts together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewardlab_measure.tables.averages import TableAverage, clustered_average
from rewardlab_measure.tables.intervals import LEVEL, Interval


def cohen_kappa(pairs: Sequence[tuple[Any, Any]]) -> float | None:
    """Return Cohen's kappa of two raters' labels for n things, in [-1, 1]; None if chance alone agrees fully.

    (observed - chance) / (1 - chance), with chance from each rater's own shares of labels. It is undefined for no
    things, and for one label throughout. Source: Cohen 1960.
    """
    size = len(pairs)
    counts, other_counts = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    agreed = sum(a == b for a, b in pairs)
    by_chance = sum(times * other_counts[label] for label, times in counts.items())  # over size squared
    if size * size == by_chance:
        return None
    return (size * agreed - by_chance) / (size * size - by_chance)


def cluster_interval(
    values: Sequence[float], clusters: Sequence[int], low: float = 0.0, high: float = 1.0
) -> Interval | None:
    """Return the 95% interval of a mean of values in [low, high], where those of a cluster (n,) count together.

    None if nothing says how much clusters vary: of no values, and of one cluster.
    """
    average = clustered_average([(value - low) / (high - low) for value in values], clusters, "share")
    if average is None or average.interval is None:
        return None
    least, most = average.interval
    return low + least * (high - low), low + most * (high - low)


def kappa_average(
    pairs: Sequence[tuple[Any, Any]], clusters: Sequence[int], level: float = LEVEL
) -> TableAverage | None:
    """Return Cohen's kappa of two raters' labels and its interval, where pairs of a cluster (n,) count together.

    None if it is undefined. 1 - kappa is the disagreement as a share of that by chance. Each pair is given the
    disagreement and its influence on it by way of both: their mean is the disagreement, they vary as kappa does, and
    the interval of their mean, a share, is that of kappa on another scale. Source of the influence: the delta method,
    as in Fleiss, Cohen and Everitt 1969.
    """
    kappa = cohen_kappa(pairs)
    if kappa is None:
        return None
    size = len(pairs)
    counts, other_counts = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(times * other_counts[label] for label, times in counts.items()) / size**2
    values = [
        (a != b)
        + (1 - kappa) * ((other_counts[a] + counts[b]) / size - 2 * chance)  # the mean of what follows the + is 0
        for a, b in pairs
    ]
    average = clustered_average(values, clusters, "share", level)
    assert average is not None
    if average.interval is None:
        return replace(average, mean=kappa)
    high, low = (1 - share / (1 - chance) for share in average.interval)
    return replace(average, mean=kappa, low=max(-1.0, low), high=min(1.0, high))
