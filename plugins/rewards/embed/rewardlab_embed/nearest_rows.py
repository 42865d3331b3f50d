"""The rows to drop by a threshold, or by rank for pairs of languages without a row above it.

Source: mR3, appendix C.5: rows of MMMLU that are too near to INCLUDE's, in any language.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

ROUNDING = 1e-6
"""the error of a cosine in float32"""
Near = tuple[float, int, int]
"""a cosine, the number of the row, less than 0 so that of equal cosines the first row is nearer, and of what is near"""


class NearestByLanguage:
    """The nearest rows of each pair of languages, of the rows and of the evaluation sets, and all above a threshold.

    Args:
        count: the rows that a pair without any above the threshold gives.
    """

    def __init__(self, threshold: float, count: int) -> None:
        self._threshold, self._count = threshold - ROUNDING, count
        self._nearest: dict[tuple[Any, int], list[Near]] = defaultdict(list)
        self._above: dict[int, tuple[float, int]] = {}
        self._with_some_above: set[tuple[Any, int]] = set()

    def add(self, row: int, language: Any, cosines: Sequence[float], nearest: Sequence[int]) -> None:
        """Add a row with its highest cosine to each language of the evaluation sets, and to which of their rows."""
        for other, (cosine, place) in enumerate(zip(cosines, nearest, strict=True)):
            pair = language, other
            if cosine >= self._threshold:
                self._with_some_above.add(pair)
                self._above[row] = max(self._above.get(row, (cosine, place)), (cosine, place))
                self._nearest.pop(pair, None)
            elif pair not in self._with_some_above:
                heap = self._nearest[pair]
                heapq.heappush(heap, (cosine, -row, place))
                if len(heap) > self._count:
                    heapq.heappop(heap)

    def dropped(self) -> Mapping[int, tuple[float, int]]:
        """Return the rows to drop, each with its highest cosine and the number of the evaluation row."""
        dropped = dict(self._above)
        for heap in self._nearest.values():
            for cosine, row, place in heap:
                dropped[-row] = max(dropped.get(-row, (cosine, place)), (cosine, place))
        return dropped
