"""What a judge said while a group was scored, out of the `info` of its scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab.types import Score

COUNTS = ("calls", "unparsable", "failed", "tokens")
CYCLES = ("triples", "intransitive")
WINNERS = ("A", "B")

Verdicts = Mapping[tuple[int, int], str]
"""(place that stands first, place that stands second) -> "A" | "B" | "unparsable" | "failed"."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """verdicts: of each call; empty where the reward does not tell. counts: what is known of COUNTS and CYCLES."""

    verdicts: Verdicts = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)

    def decided(self) -> list[list[tuple[int, int]]]:
        """For each pair of answers its calls (in one order or both), where each of them has a verdict.

        Of a pair asked in both orders one verdict alone would show which answer is better, not only a habit.
        """
        pairs: dict[frozenset[int], list[tuple[int, int]]] = {}
        for call in sorted(self.verdicts):  # the order with the lower place first comes first
            pairs.setdefault(frozenset(call), []).append(call)
        return [calls for calls in pairs.values() if all(self.verdicts[call] in WINNERS for call in calls)]

    def lower_won(self) -> list[tuple[bool, bool]]:
        """For each pair with a verdict in both orders: whether its lower place won when it stood first, and second."""
        both = [calls for calls in self.decided() if len(calls) == 2]
        return [(self.verdicts[one] == "A", self.verdicts[other] == "B") for one, other in both]


def said(scores: Sequence[Score], scope: str) -> Said:
    """What the scores of one group (G,) tell, by the places in the scored group.

    Group rewards give the group's own counts under `group`, since each of their calls is about two answers;
    others give each completion's.
    """
    verdicts = {
        (first, int(second)): verdict
        for first, score in enumerate(scores)
        for second, verdict in (score.info.get("verdicts") or {}).items()
    }
    if scope == "group":
        told = (score.info["group"] for score in scores if isinstance(score.info.get("group"), Mapping))
        return Said(verdicts=verdicts, counts=_counts([next(told, {})], (*COUNTS, *CYCLES)))
    return Said(verdicts=verdicts, counts=_counts([score.info for score in scores], COUNTS))


def _counts(infos: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, int]:
    known = {name: [info[name] for info in infos if isinstance(info.get(name), int | float)] for name in names}
    return {name: int(sum(values)) for name, values in known.items() if values}
