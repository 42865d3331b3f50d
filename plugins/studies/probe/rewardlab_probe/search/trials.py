"""Trying exploits on rows: each is scored beside the honest completion, and said to be wrong or not."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from rewardlab.plan import Plan
from rewardlab.recipe import Family
from rewardlab.scoring import Scorer

from rewardlab_probe.attempts.degenerate import Attempt, ProbeRow
from rewardlab_probe.measure import GROUP_SIZE, CompletionResult, MeasuredRow, ProbeGroup, measure_groups
from rewardlab_probe.search.wrong import surely_wrong
from rewardlab_probe.verdicts import WinRule

WRONG: Family = "searched"
GAIN: Family = "searched_gain"


@dataclass
class Trials:
    """What was tried, and how much may still be.

    Args:
        plan: the recipe's own.
        left: completions that may still be scored; an honest one beside them does not count.
        truth: a component that knows what is right; None: the row's gold says it.
    """

    plan: Plan
    scorer: Scorer
    rule: WinRule
    left: int
    truth: str | None = None
    scored: int = 0
    known: dict[tuple[str, str], tuple[Family | None, float | None]] = field(default_factory=dict)

    def lead(self, probe: ProbeRow, text: str) -> tuple[Family, float] | None:
        """Return whether a text of a row is wrong or gains, and how far it is ahead; None if it is neither."""
        family, ahead = self.known.get((probe.row.sample.id, text), (None, None))
        return None if family is None or ahead is None else (family, ahead)

    def paid(self, probe: ProbeRow, text: str) -> float | None:
        """Return how far a text of a row is ahead, whether it is wrong or not; None if it has no total."""
        return self.known.get((probe.row.sample.id, text), (None, None))[1]

    def wins(self, probe: ProbeRow, text: str) -> Family | None:
        """Return the family as which a text wins this row; None if it does not."""
        lead = self.lead(probe, text)
        return lead[0] if lead and self.rule.wins(*lead) else None

    def score(self, probe: ProbeRow, texts: Sequence[str], kept: Collection[str] = ()) -> None:
        """Score texts of a row, as many as may be, but for those that were. kept: which hold the honest completion."""
        new = [text for text in dict.fromkeys(texts) if (probe.row.sample.id, text) not in self.known][: self.left]
        size = GROUP_SIZE - 1
        batches = [new[start : start + size] for start in range(0, len(new), size)]
        groups = [
            ProbeGroup(
                probe=probe, attempts=[Attempt(family=WRONG, variant=text, text=text) for text in batch], first=False
            )
            for batch in batches
        ]
        self.left -= len(new)
        self.scored += len(new)
        for measured in measure_groups(self.plan, self.scorer, groups):
            for (_, text), outcome in measured.degenerate.items():
                family = GAIN if text in kept else WRONG if surely_wrong(probe.material, text) else None
                self.note(probe, measured, text, outcome, family)

    def note(
        self, probe: ProbeRow, measured: MeasuredRow, text: str, outcome: CompletionResult, family: Family | None
    ) -> None:
        """Keep what a text got. family: what it is by the row's gold."""
        if self.truth is not None:
            family = self._by_truth(measured.honest.values[self.truth], outcome.values[self.truth])
        honest, total = measured.honest.total, outcome.total
        ahead = None if honest is None or total is None else total - honest
        self.known[probe.row.sample.id, text] = family, ahead

    def _by_truth(self, right: float | None, true: float | None) -> Family | None:
        if right is None or true is None:
            return None
        return WRONG if true < right - self.rule.tolerance else GAIN
