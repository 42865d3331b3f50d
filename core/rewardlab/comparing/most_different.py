"""The few groups whose advantages are furthest apart, whatever the number of groups that pass by."""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab.comparing.measures import TOLERANCE, GroupMeasures
from rewardlab.comparing.rows import ComparedRow

MOST = 10


@dataclass(frozen=True, kw_only=True)
class Case:
    """A group with what both sides gave it, each as a line of `score`."""

    row: ComparedRow
    measures: GroupMeasures
    a: Mapping[str, Any]
    b: Mapping[str, Any]


@dataclass
class MostDifferent:
    """Keeps the `most` groups of the largest distance.

    Of equal ones the group with more compared completions stands first, then the earlier one. Groups that are left
    out, or whose sides differ by rounding alone, are not kept.
    """

    most: int = MOST
    _heap: list[tuple[float, int, int, Case]] = field(default_factory=list)
    _seen: int = 0

    def add(self, case: Case) -> None:
        """Look at one more group."""
        self._seen += 1
        distance = case.measures.distance
        if distance is None or distance <= TOLERANCE:
            return
        far = round(distance, 9)  # rounding must not decide which of equal ones is kept
        entry = (far, case.measures.compared, -self._seen, case)  # no two have the same number
        if len(self._heap) < self.most:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def cases(self) -> list[Case]:
        """The furthest apart first."""
        return [case for *_, case in sorted(self._heap, reverse=True)]
