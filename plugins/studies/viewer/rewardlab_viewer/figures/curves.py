"""Curves of training: of each step the mean and the quantiles of each number, means by field, and shares of groups."""

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum

from rewardlab_viewer.figures.groups import is_flat
from rewardlab_viewer.read.columns import UNKNOWN, ScoreColumns
from rewardlab_viewer.read.source import NONE, TRAINING, LoggedStage

MAX_POINTS = 300
"""points of a curve; of more steps, neighbours share a point"""
MAX_SPLITS = 4
"""fields by which curves are split"""
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
Curve = Sequence[float | None]


@dataclass(frozen=True, kw_only=True)
class MetricCurves:
    """The curves of one number.

    Args:
        by: field -> value -> means.
        quantiles: one for each of QUANTILES; none of numbers that are one of two.
    """

    mean: Curve
    quantiles: Sequence[Curve]
    by: Mapping[str, Mapping[str, Curve]]


@dataclass(frozen=True, kw_only=True)
class StageCurves:
    """The curves of a stage's training.

    Args:
        steps: the first of those that share a point.
        evaluated: step -> means.
        composition: field -> value -> shares of a point's groups: what a curriculum or a sampler let train when.
        ends: of the first and the last step that have a total, the step and its mean total, whatever shares their
            points.
    """

    stage: int
    steps: Sequence[int]
    metrics: Mapping[str, MetricCurves]
    evaluated: Mapping[int, Mapping[str, float]]
    composition: Mapping[str, Mapping[str, Curve]]
    ends: Sequence[tuple[int, float]]


def stage_curves(columns: ScoreColumns) -> list[StageCurves]:
    """Return the curves of each stage that was trained, of the completions that were trained on."""
    curves_by_stage = []
    for part, groups in columns.groups_by_part().items():
        used = [group for group in groups if not columns.discarded[group] and columns.step[group] >= 0]
        if part.phase == TRAINING and used:
            curves_by_stage.append(_curves(columns, part.stage, used))
    return sorted(curves_by_stage, key=lambda curves: curves.stage)


def _curves(columns: ScoreColumns, stage: int, groups: Sequence[int]) -> StageCurves:
    steps = sorted({columns.step[group] for group in groups})
    firsts = steps[:: -(-len(steps) // MAX_POINTS)]
    points = [bisect_right(firsts, columns.step[group]) - 1 for group in groups]
    splits = {}
    for name in columns.split_fields()[:MAX_SPLITS]:
        codes = columns.fields[name].codes
        splits[name] = (list(columns.fields[name].values), [codes[group] for group in groups])
    numbers: dict[str, Iterable[Sequence[float]]] = {
        name: [[values[place] for place in columns.of_group(group)] for group in groups]
        for name, values in columns.metrics()
    }
    lengths = array("d", (NONE if tokens == UNKNOWN else tokens for tokens in columns.tokens))
    numbers["length in tokens"] = [[lengths[place] for place in columns.of_group(group)] for group in groups]
    numbers["flat groups"] = [[float(is_flat(columns, group))] for group in groups]
    metrics = {name: _metric(values, points, len(firsts), splits) for name, values in numbers.items()}
    return StageCurves(
        stage=stage,
        steps=firsts,
        metrics=metrics,
        evaluated=_evaluated(columns, stage),
        composition={name: _shares(values, codes, points, len(firsts)) for name, (values, codes) in splits.items()},
        ends=_ends(columns, groups),
    )


def _ends(columns: ScoreColumns, groups: Sequence[int]) -> list[tuple[int, float]]:
    totals: dict[int, array[float]] = defaultdict(lambda: array("d"))
    for group in groups:
        known = [columns.totals[at] for at in columns.of_group(group) if columns.totals[at] == columns.totals[at]]
        if known:
            totals[columns.step[group]].extend(known)
    return [(step, fsum(totals[step]) / len(totals[step])) for end in (min, max) if totals for step in [end(totals)]]


def _shares(values: Sequence[str], codes: Sequence[int], points: Sequence[int], size: int) -> dict[str, Curve]:
    """Return the share of each point's groups that have each of these values; none of values that no group has."""
    groups, counts = Counter(points), Counter(zip(points, codes, strict=True))
    there = set(codes)
    return {
        value: [_rounded(counts[point, code] / groups[point]) for point in range(size)]
        for code, value in enumerate(values)
        if code in there
    }


def _metric(
    numbers: Iterable[Sequence[float]],
    points: Sequence[int],
    size: int,
    splits: Mapping[str, tuple[Sequence[str], Sequence[int]]],
) -> MetricCurves:
    whole = [array("d") for _ in range(size)]
    sums = {name: [[0.0, 0.0] for _ in range(size * len(values))] for name, (values, _) in splits.items()}
    for at, values in enumerate(numbers):
        known = [value for value in values if value == value]
        whole[points[at]].extend(known)
        for name, (names, codes) in splits.items():
            if codes[at] >= 0:
                cell = sums[name][points[at] * len(names) + codes[at]]
                cell[0] += fsum(known)
                cell[1] += len(known)
    ordered = [sorted(values) for values in whole]
    return MetricCurves(
        mean=[_rounded(_mean(values)) for values in ordered],
        quantiles=[
            [_rounded(quantile(values, share)) for values in ordered] for share in QUANTILES if _is_graded(ordered)
        ],
        by={
            name: {
                value: [_ratio(sums[name][point * len(names) + code]) for point in range(size)]
                for code, value in enumerate(names)
            }
            for name, (names, _) in splits.items()
        },
    )


def _is_graded(columns: Iterable[Sequence[float]]) -> bool:
    """Return whether there are more than two different numbers: quantiles of right and wrong say nothing."""
    seen = set()
    for value in chain.from_iterable(columns):
        seen.add(value)
        if len(seen) > 2:
            return True
    return False


def _ratio(cell: Sequence[float]) -> float | None:
    return _rounded(cell[0] / cell[1]) if cell[1] else None


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _rounded(value: float | None) -> float | None:
    """Return a number with as many digits as a curve shows: the page has many of them."""
    return None if value is None else float(f"{value:.6g}")


def thinned(log: LoggedStage) -> LoggedStage:
    """Return a log with MAX_POINTS steps at most; neighbours share a point, which has their mean."""
    every = -(-len(log.steps) // MAX_POINTS)
    numbers = {}
    for name, values in log.numbers.items():
        blocks = [values[at : at + every] for at in range(0, len(values), every)]
        numbers[name] = [_rounded(_mean([value for value in block if value is not None])) for block in blocks]
    return LoggedStage(name=log.name, steps=log.steps[::every], numbers=numbers)


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """Return a quantile of numbers in ascending order, between neighbours by a line; None of none."""
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def _evaluated(columns: ScoreColumns, stage: int) -> dict[int, dict[str, float]]:
    means: dict[int, dict[str, float]] = {}
    for part, groups in columns.groups_by_part().items():
        if part.stage == stage and part.step is not None and part.phase != TRAINING:
            for name, values in columns.metrics():
                known = [values[at] for group in groups for at in columns.of_group(group) if values[at] == values[at]]
                if known:
                    means.setdefault(part.step, {})[name] = float(f"{fsum(known) / len(known):.6g}")
    return dict(sorted(means.items()))
