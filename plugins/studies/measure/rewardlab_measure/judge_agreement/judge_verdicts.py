"""The calls of a judge while one group was scored, read from the `info` of its scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab import Score

COUNTS = ("calls", "unparsable", "failed", "tokens")
CYCLES = ("triples", "intransitive")
WINNERS = ("A", "B")

Verdicts = Mapping[tuple[int, int], str]
"""(place that stands first, place that stands second) -> "A" | "B" | "tie" | "both_bad" | "unparsable" | "failed"."""


@dataclass(frozen=True, kw_only=True)
class JudgeCalls:
    """The calls of a judge about one group.

    Args:
        verdicts: of each call; empty if the reward does not record them.
        counts: those of COUNTS and CYCLES that the reward records.
        orders_chosen: whether who stood first was chosen by what the verdicts before had shown.
    """

    verdicts: Verdicts = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    orders_chosen: bool = False

    def decided(self) -> list[list[tuple[int, int]]]:
        """Return the calls of each pair of answers, in one order or both, if all of them have a verdict.

        In a pair asked in both orders, a single verdict would tell about the better answer, not only about a habit, and
        so do the pairs asked in one order if that was chosen.
        """
        pairs: dict[frozenset[int], list[tuple[int, int]]] = {}
        for call in sorted(self.verdicts):  # the order with the lower place first comes first
            pairs.setdefault(frozenset(call), []).append(call)
        least = 2 if self.orders_chosen else 1
        read = [calls for calls in pairs.values() if all(self.verdicts[call] in WINNERS for call in calls)]
        return [calls for calls in read if len(calls) >= least]

    def lower_won(self) -> list[tuple[bool, bool]]:
        """Return (the lower place won standing first, it won standing second) for each pair judged in both orders."""
        both = [calls for calls in self.decided() if len(calls) == 2]
        return [(self.verdicts[first] == "A", self.verdicts[other] == "B") for first, other in both]


def judge_calls(scores: Sequence[Score], scope: str) -> JudgeCalls:
    """Read the calls from the scores (G,) of one group, by the places in the scored group.

    Rewards of group scope record the group's counts under `group`, since each of their calls is about two answers;
    other rewards record the counts of each completion.
    """
    verdicts = {
        (first, int(second)): verdict
        for first, score in enumerate(scores)
        for second, verdict in (score.info.get("verdicts") or {}).items()
    }
    if scope == "group":
        groups = (score.info["group"] for score in scores if isinstance(score.info.get("group"), Mapping))
        group: Mapping[str, Any] = next(groups, {})
        counts = _counts([group], (*COUNTS, *CYCLES))
        return JudgeCalls(verdicts=verdicts, counts=counts, orders_chosen=group.get("design") == "adaptive")
    return JudgeCalls(verdicts=verdicts, counts=_counts([score.info for score in scores], COUNTS))


def _counts(infos: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, int]:
    known = {name: [info[name] for info in infos if isinstance(info.get(name), int | float)] for name in names}
    return {name: int(sum(values)) for name, values in known.items() if values}
