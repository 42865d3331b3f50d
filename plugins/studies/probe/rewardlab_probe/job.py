"""The probe as a job: it makes degenerate completions for the rows, scores them and gives verdicts."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rewardlab.errors import JobError
from rewardlab.judging import JudgingSettings
from rewardlab.plan import Plan, refuse_policy
from rewardlab.recipe import Family
from rewardlab.scoring import OpenScorer, Scorer
from rewardlab.text import Progress
from rewardlab_training import most_questions

from rewardlab_probe.attempts.degenerate import LONG, probe_rows
from rewardlab_probe.attempts.reward_words import reward_words
from rewardlab_probe.checks import Check, Floor, floor_of, rfc_checks
from rewardlab_probe.measure import MeasuredRow, ProbeGroup, measure_groups, probe_groups, probing_plan
from rewardlab_probe.rows import RowRequirements, choose_rows, dataset_rows, read_rows
from rewardlab_probe.search.confirm import SearchBeside, SearchResult, SearchSettings, check_search
from rewardlab_probe.verdicts import FamilyVerdict, WinRule, slices, verdicts

ROWS = 32
THOROUGH = 8
"""Rows that every variant is tried on: what one row does not show, others rarely do."""


@dataclass(frozen=True, kw_only=True)
class ProbeSlice:
    """A named part of the rows, with a verdict on each family."""

    name: str
    rows: Sequence[MeasuredRow]
    verdicts: Sequence[FamilyVerdict]


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    """The result of a probe.

    Args:
        slices: all rows first, then those that share a value of a field.
        known: family -> why it wins, as the recipe says.
        search: None if there was none.
        dropped: rows whose honest completion has no total, which count nowhere.
        floor: None if no row could say what doing nothing earns.
    """

    total: str
    slices: Sequence[ProbeSlice]
    known: Mapping[Family, str]
    floor: Floor | None = None
    dropped: int = 0
    search: SearchResult | None = None

    @property
    def failing(self) -> list[tuple[ProbeSlice, FamilyVerdict]]:
        """The verdicts that fail the probe: unlisted wins, and missing values that would end a run."""
        return [(sliced, verdict) for sliced, verdict in self.acting if verdict.family not in self.known]

    @property
    def acting(self) -> list[tuple[ProbeSlice, FamilyVerdict]]:
        """The verdicts with wins, or missing values that would end a run, those that the recipe knows of, too."""
        return [
            (sliced, verdict) for sliced in self.slices for verdict in sliced.verdicts if verdict.wins or verdict.fatal
        ]

    @property
    def floor_fails(self) -> bool:
        """Whether doing nothing earns too much, in a way that the recipe does not know of."""
        return self.floor is not None and self.floor.too_near and self.floor.family not in self.known

    @property
    def ok(self) -> bool:
        """Whether nothing fails the probe."""
        return not self.failing and not self.floor_fails

    @property
    def checks(self) -> Mapping[str, Check]:
        """The results for the checks of OpenEnv's RFC 008, by their ids."""
        return rfc_checks(self.slices[0].verdicts, [verdict for _, verdict in self.acting], self.floor)


@dataclass(frozen=True, kw_only=True)
class ProbeJob:
    """A probe to run.

    Writes nothing but the cassettes that the recipe names.

    Args:
        rows: a file, None for the recipe's dataset.
        most: how many of its rows are used at most.
        honest, reference: the columns of the honest completion (None: see `RowRequirements`) and of the reference.
        by: fields whose values make slices.
        thorough: rows that every variant is tried on.
        long: characters of a very long completion.
        margin: how far ahead of the floor the honest completions must be.
        search: for more than the probe's own completions; None: not at all.
        open_scorer: opens what scores them, as `Scorer` does.
        say: prints notes.
    """

    plan: Plan
    rows: str | None = None
    most: int = ROWS
    honest: str | None = None
    reference: str = "reference"
    by: Sequence[str] = ()
    rule: WinRule = field(default_factory=WinRule)
    thorough: int = THOROUGH
    long: int = LONG
    margin: float = 0.0
    skip_bad: bool = False
    search: SearchSettings | None = None
    open_scorer: OpenScorer = Scorer
    say: Callable[[str], None] = lambda text: None

    def groups(self) -> list[ProbeGroup]:
        """Return the groups to score. A UserError for bad rows."""
        refuse_policy(self.plan.judges, self.plan.document.where)
        requirements = RowRequirements(plan=self.plan, honest=self.honest, reference=self.reference)
        read = dataset_rows(requirements) if self.rows is None else read_rows(self.rows, requirements)
        read.bad.refuse(read.place, len(read.rows), "to probe with", self.skip_bad, self.say)
        rows = choose_rows(read.rows, self.most)
        probes = list(probe_rows(rows, self.long, self.plan.recipe.seed, reward_words(self.plan)))
        return list(probe_groups(probes, self.thorough))

    def run(self) -> ProbeResult:
        """Run the probe. A UserError for bad rows, before anything is scored; a JobError if too many have no total."""
        assert self.plan.recipe.reward is not None
        groups = self.groups()
        asked = self._asked()
        self._announce_questions(asked, groups)
        rule = replace(self.rule, noisy=bool(asked))
        if self.search is not None:
            check_search(self.plan, self.search)
        scored, search = self._scored(groups, rule)
        counted = [row for row in scored if row.honest.total is not None]
        self._warn_of_nothing(counted)
        for name in self.by:
            if not any(name in row.sample.fields for row in counted):
                self.say(f"warning: --by {name}: no row has this field")
        sliced = [("all", counted), *slices(counted, self.by)]
        slices_ = [
            ProbeSlice(name=name, rows=rows_of_slice, verdicts=verdicts(rows_of_slice, rule))
            for name, rows_of_slice in sliced
        ]
        return ProbeResult(
            total=self.plan.recipe.reward.total,
            slices=slices_,
            known=self.plan.recipe.probe.known,
            floor=floor_of(slices_[0].verdicts, self.margin),
            dropped=sum(row.first for row in scored) - sum(row.first for row in counted),
            search=search,
        )

    def _asked(self) -> list[tuple[str, str]]:
        """Return the components that ask judges which may cost money and sample, each with a judge of its."""
        asking = [(name, planned) for name, planned in self.plan.components.items() if planned.spec.calls is not None]
        named = [(name, judge) for name, planned in asking for judge in planned.judges()]
        return [(name, judge) for name, judge in named if not self.plan.judges[judge].spec.local]

    def _announce_questions(self, asked: Sequence[tuple[str, str]], groups: Sequence[ProbeGroup]) -> None:
        """Print how many questions these judges are asked at most."""
        sizes = [len(group.texts) for group in groups]
        for name, judge in asked:
            most = sum(most_questions(self.plan, name, size)[judge] or 0 for size in sizes)
            self.say(f"{name} asks {judge} up to {most:,} questions; fewer with --limit and --thorough")

    def _refuse_lost(self, rows: Sequence[MeasuredRow]) -> None:
        """Raise a JobError if a component has no value for more honest completions than the recipe allows.

        The rows that are left would prove nothing.
        """
        count = sum(row.first for row in rows)
        for name, planned in self.plan.components.items():
            causes = {row.sample.id: row.lost[name] for row in rows if name in row.lost}
            use = planned.use
            strict = use.on_missing == "fail" and use.on_unstable is None  # values that differ are no outage
            allowed = 0.0 if strict else use.max_missing
            if len(causes) > allowed * count or len(causes) == count:
                problem = f"{name} ({use.use}) has no value for {len(causes)} of {count} honest completions"
                raise JobError(f"{problem} (max_missing is {allowed:.1%}); last: {[*causes.values()][-1]}")
        if all(row.lost for row in rows):
            raise JobError(f"none of {count} honest completions has a total; last: {rows[-1].honest.why}")

    def _warn_of_nothing(self, rows: Sequence[MeasuredRow]) -> None:
        """Print a warning if every honest completion gets the least possible total, behind which nothing can be."""
        bounds = self.plan.total_range
        least = -math.inf if bounds is None else bounds[0]
        if all(row.honest.total is not None and row.honest.total <= least for row in rows):
            hint = "is it in the form that the reward asks for?"
            self.say(f"warning: every honest completion gets {least:g}, the least that the total can be; {hint}")

    def _scored(self, groups: Sequence[ProbeGroup], rule: WinRule) -> tuple[list[MeasuredRow], SearchResult | None]:
        """Return the rows with their rewards, those of a search at their end."""
        with self.open_scorer(probing_plan(self.plan), judging=JudgingSettings(say=self.say)) as scorer:
            try:
                with Progress("probing", total=len(groups)) as bar:
                    scored = []
                    for row in measure_groups(self.plan, scorer, groups):
                        scored.append(row)
                        bar.update()
                self._refuse_lost(scored)
                search = self._searched(scorer, groups, scored, rule)
            finally:
                for line in scorer.judges.summary():
                    self.say(line)
        return [*scored, *(search.rows if search else ())], search

    def _searched(
        self, scorer: Scorer, groups: Sequence[ProbeGroup], scored: Sequence[MeasuredRow], rule: WinRule
    ) -> SearchResult | None:
        if self.search is None:
            return None
        probes = list({group.probe.row.sample.id: group.probe for group in groups}.values())
        beside = SearchBeside(plan=self.plan, scorer=scorer, rule=rule, settings=self.search, probes=probes)
        return beside.run(scored, verdicts(scored, rule))
