"""The few groups whose advantages are furthest apart, of any number of groups: memory holds only these few."""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab_measure.compare.measures import TOLERANCE, GroupMeasures
from rewardlab_measure.compare.rows import ComparedRow

MOST = 10


@dataclass(frozen=True, kw_only=True)
class ComparedGroup:
    """A group with its measures and the scores of both sides, each as a line that `score` writes."""

    row: ComparedRow
    measures: GroupMeasures
    a: Mapping[str, Any]
    b: Mapping[str, Any]


@dataclass
class MostDifferent:
    """A collection that keeps the `most` groups with the largest distance.

    Among equally distant groups the one with more compared completions comes first, then the earlier one. Groups that
    are left out, or whose sides differ by rounding alone, are not kept.
    """

    most: int = MOST
    _heap: list[tuple[float, int, int, ComparedGroup]] = field(default_factory=list)
    _seen: int = 0

    def add(self, case: ComparedGroup) -> None:
        """Take one more group into account."""
        self._seen += 1
        distance = case.measures.distance
        if distance is None or distance <= TOLERANCE:
            return
        far = round(distance, 9)  # rounding must not decide which of several equal groups is kept
        entry = (far, case.measures.compared, -self._seen, case)  # no two numbers are equal: no groups are compared
        if len(self._heap) < self.most:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def cases(self) -> list[ComparedGroup]:
        """Return the groups that were kept, the furthest apart first."""
        return [case for *_, case in sorted(self._heap, reverse=True)]
