"""Trying exploits on rows: each is scored beside the honest completion, and said to be wrong or not."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rewardlab.plan import Plan
from rewardlab.recipe import Family
from rewardlab.scoring import Scorer

from rewardlab_probe.attempts.degenerate import Attempt, ProbeRow
from rewardlab_probe.measure import GROUP_SIZE, CompletionResult, MeasuredRow, ProbeGroup, measure_groups
from rewardlab_probe.search.wrong import surely_wrong
from rewardlab_probe.verdicts import WinRule

WRONG: Family = "searched"
GAIN: Family = "searched_gain"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What a text got.

    Args:
        family: what it is, wrong or a gain; None if it may be right and gains nothing.
        ahead: how far its total is ahead of the honest one; None if it has none.
        paid: component of the total -> its value.
    """

    family: Family | None = None
    ahead: float | None = None
    paid: Sequence[tuple[str, float | None]] = ()


@dataclass
class Trials:
    """What was tried, and how much may still be.

    Args:
        plan: the recipe's own.
        left: completions that may still be scored; an honest one beside them does not count.
        truth: a component that knows what is right; None: the row's gold says it.
        known: row -> text -> what it got.
        said: (row, text) -> whether a judge says that it is wrong.
    """

    plan: Plan
    scorer: Scorer
    rule: WinRule
    left: int
    truth: str | None = None
    scored: int = 0
    known: dict[str, dict[str, Trial]] = field(default_factory=dict)
    said: dict[tuple[str, str], bool] = field(default_factory=dict)

    def of_row(self, probe: ProbeRow) -> Mapping[str, Trial]:
        """Return what the texts of a row got."""
        return self.known.get(probe.row.sample.id, {})

    def trial(self, probe: ProbeRow, text: str) -> Trial | None:
        """Return what a text of a row got; None if it was not tried."""
        return self.of_row(probe).get(text)

    def note_opinion(self, probe: ProbeRow, text: str, is_wrong: bool) -> None:
        """Keep that a judge says whether a text is wrong, which counts more than the row's gold."""
        self.said[probe.row.sample.id, text] = is_wrong
        trial = self.known[probe.row.sample.id][text]
        self.known[probe.row.sample.id][text] = replace(trial, family=WRONG if is_wrong else None)

    def lead(self, probe: ProbeRow, text: str) -> tuple[Family, float] | None:
        """Return whether a text of a row is wrong or gains, and how far it is ahead; None if it is neither."""
        trial = self.trial(probe, text) or Trial()
        return None if trial.family is None or trial.ahead is None else (trial.family, trial.ahead)

    def paid(self, probe: ProbeRow, text: str) -> float | None:
        """Return how far a text of a row is ahead, whether it is wrong or not; None if it has no total."""
        return (self.trial(probe, text) or Trial()).ahead

    def wins(self, probe: ProbeRow, text: str) -> Family | None:
        """Return the family as which a text wins this row; None if it does not."""
        lead = self.lead(probe, text)
        return lead[0] if lead and self.rule.wins(*lead) else None

    def score(self, probe: ProbeRow, texts: Sequence[str], kept: Collection[str] = ()) -> None:
        """Score texts of a row, as many as may be, but for those that were. kept: which hold the honest completion."""
        new = [text for text in dict.fromkeys(texts) if text not in self.of_row(probe)][: self.left]
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
        names = self.plan.expression.names if self.plan.expression else ()
        paid = tuple((name, outcome.values.get(name)) for name in names)
        tried = self.known.setdefault(probe.row.sample.id, {})
        tried[text] = Trial(family=family, ahead=ahead, paid=paid)

    def _by_truth(self, right: float | None, true: float | None) -> Family | None:
        if right is None or true is None:
            return None
        return WRONG if true < right - self.rule.tolerance else GAIN
