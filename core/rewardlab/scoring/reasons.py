"""Reasons, counted: why completions failed, or why a component gave nothing to most of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab.text.redaction import redact

MAX_REASONS, SHOWN_REASONS, MAX_LETTERS = 1_000, 5, 200
"""reasons that are told apart, those that are shown, and how much of each"""
OTHERS = "other causes; each completion's stands in the output"


class ReasonCounts(Counter[str]):
    """The counts of the reasons that were given; beyond MAX_REASONS they count as others."""

    def note(self, reason: str) -> None:
        """Count a reason once more."""
        self[reason if reason in self or len(self) < MAX_REASONS else OTHERS] += 1

    def lines(self, kind: str) -> Iterator[str]:
        """Yield "KIND COUNT: REASON", the commonest first, and the rest in one line."""
        shown = self.most_common(SHOWN_REASONS)
        yield from (f"{kind} {count}: {reason}" for reason, count in shown)
        if rest := self.total() - sum(count for _, count in shown):
            yield f"{kind} {rest}: {OTHERS}"


@dataclass
class NothingGiven:
    """The reasons why a component gave 0 to completions or abstained, by the `reason` in its `info`.

    What is rare says nothing: there are lines only once more than half of the completions got nothing for a reason.
    """

    completions: int = 0
    zeros: ReasonCounts = field(default_factory=ReasonCounts)
    abstentions: ReasonCounts = field(default_factory=ReasonCounts)

    def add(self, values: Iterable[float | None], infos: Iterable[Mapping[str, Any] | None]) -> None:
        """Count completions: the value of each, and its `info`. A failure has no `reason` there."""
        for value, info in zip(values, infos, strict=True):
            self.completions += 1
            if not value and (reason := (info or {}).get("reason")):
                counts = self.abstentions if value is None else self.zeros
                counts.note(redact(str(reason))[:MAX_LETTERS])

    def lines(self) -> Iterator[str]:
        """Yield why most completions got nothing, if they did."""
        if 2 * (self.zeros.total() + self.abstentions.total()) > self.completions:
            yield from self.zeros.lines("zero")
            yield from self.abstentions.lines("abstained")
