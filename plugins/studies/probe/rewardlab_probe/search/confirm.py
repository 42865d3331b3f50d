"""A search beside a probe: what it finds is scored anew, on rows that it did not search if chance may have helped."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rewardlab.errors import UserError, nearest
from rewardlab.plan import Plan
from rewardlab.scoring import Scorer

from rewardlab_probe.attempts.degenerate import Attempt, ProbeRow
from rewardlab_probe.attempts.reward_words import reward_words
from rewardlab_probe.measure import MeasuredRow, ProbeGroup, measure_groups
from rewardlab_probe.search.ideas import Ideas
from rewardlab_probe.search.questions import SearchQuestions
from rewardlab_probe.search.search import SEARCHED, Found, Search
from rewardlab_probe.search.shown import shown_reward
from rewardlab_probe.search.trials import GAIN, Trials
from rewardlab_probe.search.wrong import surely_wrong
from rewardlab_probe.verdicts import FamilyVerdict, WinRule

QUESTIONS = 12


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """The settings of a search.

    Args:
        scorings: completions that it may score.
        judge: the recipe's judge that is asked for ideas; None: nobody is.
        questions: to it.
        blind: whether it is shown no source of a reward.
        truth: the component that knows what is right; None: the row's gold does.
    """

    scorings: int
    judge: str | None = None
    questions: int = QUESTIONS
    blind: bool = False
    truth: str | None = None


def check_search(plan: Plan, settings: SearchSettings) -> None:
    """Refuse what cannot be searched. A UserError for a judge or component that is not there, or without a budget."""
    if settings.truth is not None and settings.truth not in plan.components:
        raise UserError(f"--truth {settings.truth}: no such component{nearest(settings.truth, plan.components)}")
    if settings.judge is None:
        return
    if settings.judge not in plan.judges:
        raise UserError(f"--search-judge {settings.judge}: no such judge{nearest(settings.judge, plan.judges)}")
    planned = plan.judges[settings.judge]
    if planned.use.budget is None and not planned.spec.local:
        place = plan.document.where(("judges", settings.judge))
        raise UserError(
            f"{place}: a search asks this judge, which has no budget; give it one: budget: {{tokens: 100000}}"
        )


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """What a search did and found.

    Args:
        rows: what was found, scored anew.
        found: exploits that win the rows searched; whether they hold is the verdict of their family.
        questions: to the judge that has ideas. lost: those of them without an answer.
    """

    rows: Sequence[MeasuredRow] = ()
    found: Sequence[Found] = ()
    scored: int = 0
    questions: int = 0
    lost: int = 0


@dataclass(frozen=True, kw_only=True)
class SearchBeside:
    """A search beside a probe, by its scorer and its rule."""

    plan: Plan
    scorer: Scorer
    rule: WinRule
    settings: SearchSettings
    probes: Sequence[ProbeRow] = field(default_factory=list)

    def run(self, measured: Sequence[MeasuredRow], verdicts: Sequence[FamilyVerdict]) -> SearchResult:
        """Search, and score anew what was found. measured, verdicts: of the probe's own completions."""
        settings = self.settings
        valued = {row.sample.id for row in measured if row.honest.total is not None}
        probes = [probe for probe in self.probes if probe.row.sample.id in valued]
        trials = Trials(self.plan, self.scorer, self.rule, settings.scorings, settings.truth)
        questions = SearchQuestions(self.scorer, settings.judge, settings.questions) if settings.judge else None
        ideas = Ideas(questions, shown_reward(self.plan, not settings.blind)) if questions else None
        first = max(1, min(SEARCHED, len(probes) // 2))
        search = Search(trials, probes[:first], self.plan.recipe.seed, reward_words(self.plan), ideas, questions)
        winning = {f"{verdict.family}/{verdict.variant}" for verdict in verdicts if verdict.wins}
        found = search.run(measured, winning)
        rows: list[MeasuredRow] = []
        paid = []
        for one in found:
            anew = self._anew(search, one, probes, probes[first:]) if one.is_new else measured
            rows += anew if one.is_new else ()
            paid.append(replace(one, paid_by=_paid_by(one, anew)))
        asked, lost = (questions.asked, questions.lost) if questions else (0, 0)
        return SearchResult(rows=rows, found=paid, scored=trials.scored, questions=asked, lost=lost)

    def _anew(
        self, search: Search, found: Found, probes: Sequence[ProbeRow], fresh: Sequence[ProbeRow]
    ) -> list[MeasuredRow]:
        """Return what an exploit gets, in rows where it is as it was where it was found: wrong, or not."""
        by_chance = self.rule.noisy or found.family == GAIN
        groups = []
        for probe in fresh if by_chance else probes:
            text = search.text_of(found.exploit, probe)
            if text is not None and self._counts(search, found, probe, text, searched=probe not in fresh):
                attempt = Attempt(family=found.family, variant=str(found.exploit), text=text)
                groups.append(ProbeGroup(probe=probe, attempts=[attempt], first=False))
        rows = measure_groups(self.plan, self.scorer, groups)
        return [row for row in rows if found.family == GAIN or self._is_wrong(row)]

    def _counts(self, search: Search, found: Found, probe: ProbeRow, text: str, searched: bool) -> bool:
        """Return whether a text of a row is as that which was found: wrong, if it is that."""
        if found.family == GAIN or (self.settings.truth and not searched):
            return True
        return search.trials.lead(probe, text) is not None if searched else surely_wrong(probe.material, text)

    def _is_wrong(self, row: MeasuredRow) -> bool:
        if self.settings.truth is None:
            return True
        [outcome] = row.degenerate.values()
        right, true = (values.get(self.settings.truth) for values in (row.honest.values, outcome.values))
        return right is not None and true is not None and true < right - self.rule.tolerance


def _paid_by(found: Found, rows: Sequence[MeasuredRow]) -> str | None:
    """Return the component without which an exploit would lose most; None if it would lose nothing without any."""
    lost: dict[str, float] = {}
    for row in rows:
        for key, outcome in row.degenerate.items():
            if outcome.total is not None and key in ((found.family, str(found.exploit)), found.key):
                for name, total in outcome.unpaid.items():
                    lost[name] = lost.get(name, 0.0) + outcome.total - (total if total is not None else outcome.total)
    most = max(lost, key=lost.__getitem__, default=None)
    return most if most is not None and lost[most] > 0 else None
