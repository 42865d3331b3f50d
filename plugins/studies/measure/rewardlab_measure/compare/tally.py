"""The measures of many groups: counts, means and quantiles; 32 bytes a group."""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab_measure.compare.measures import GroupMeasures, quantile

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SIDES = {(True, False): "a", (False, True): "b", (True, True): "both"}
"""(holds for A, holds for B) -> the sides for which it holds"""


def _numbers() -> "array[float]":
    return array("d")


@dataclass
class Tally:
    """The summed measures of all groups, or of those that share a value of a field."""

    groups: int = 0
    completions: int = 0
    _left_out: Counter[str] = field(default_factory=Counter)
    _without_total: list[int] = field(default_factory=lambda: [0, 0])
    _flat: Counter[str] = field(default_factory=Counter)
    _pearson: "array[float]" = field(default_factory=_numbers)
    _spearman: "array[float]" = field(default_factory=_numbers)
    _std: tuple["array[float]", "array[float]"] = field(default_factory=lambda: (_numbers(), _numbers()))
    _correlated: int = 0
    _in_both: int = 0
    _flips: int = 0
    _best_changes: int = 0

    def add(self, measures: GroupMeasures) -> None:
        """Count one group."""
        self.groups += 1
        self.completions += measures.size
        for side, count in enumerate(measures.without_total):
            self._without_total[side] += count
        if measures.left_out is not None:
            self._left_out[measures.left_out] += 1
            return
        for numbers, std in zip(self._std, measures.std, strict=True):
            numbers.append(std)
        if any(measures.flat):
            self._flat[SIDES[measures.flat]] += 1
        else:
            self._add_correlated(measures)

    def _add_correlated(self, measures: GroupMeasures) -> None:
        for numbers, value in ((self._pearson, measures.pearson), (self._spearman, measures.spearman)):
            if value is not None:
                numbers.append(value)
        self._correlated += 1
        self._in_both += measures.compared
        self._flips += measures.flips
        self._best_changes += measures.best_changes is True

    def as_dict(self) -> dict[str, Any]:
        """Return the measures as JSON values; a mean, share or ratio of nothing is None.

        correlated: groups with variance on both sides. The correlations, the share of `flips` (of their completions)
        and the share of `best_changes` are over these. std: mean over all groups that are not left out, and B's over
        A's.
        """
        correlated = self._correlated
        a, b = (_mean(numbers) for numbers in self._std)
        return {
            "groups": self.groups,
            "completions": self.completions,
            "left_out": dict(sorted(self._left_out.items())),
            "without_total": {"a": self._without_total[0], "b": self._without_total[1]},
            "zero_variance": {side: self._flat[side] for side in SIDES.values()},
            "correlated": correlated,
            "pearson": _distribution(self._pearson),
            "spearman": _distribution(self._spearman),
            "flips": {"completions": self._flips, "of": self._in_both, "share": _share(self._flips, self._in_both)},
            "best_changes": {
                "groups": self._best_changes,
                "of": correlated,
                "share": _share(self._best_changes, correlated),
            },
            "std": {"a": a, "b": b, "ratio": b / a if a and b is not None else None},
        }


def _distribution(numbers: Sequence[float]) -> dict[str, float | None]:
    ordered = sorted(numbers)
    quantiles = {f"p{share * 100:g}": quantile(ordered, share) if ordered else None for share in QUANTILES}
    return {"mean": _mean(numbers), **quantiles}


def _mean(numbers: Sequence[float]) -> float | None:
    if not numbers:
        return None
    return min(max(math.fsum(n / len(numbers) for n in numbers), min(numbers)), max(numbers))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
