"""Probing a recipe: from rows to what wins."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rewardlab.cross_checks import refuse_policy
from rewardlab.errors import JobError, Problem, UserError
from rewardlab.judging import Keeping
from rewardlab.plan import Plan
from rewardlab.probing.degenerate import LONG, Probe, probes
from rewardlab.probing.families import Family
from rewardlab.probing.measuring import Measured, distinct, measured, probing_plan
from rewardlab.probing.rows import Found, Wanted, chosen, dataset_rows, read_rows
from rewardlab.probing.verdicts import Rule, Verdict, slices, verdicts
from rewardlab.scorefile.progress import row_bar
from rewardlab.scoring import Scorer

ROWS = 32


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Some of the rows, by name, with a verdict on each family."""

    name: str
    rows: Sequence[Measured]
    verdicts: Sequence[Verdict]


@dataclass(frozen=True, kw_only=True)
class Probed:
    """All rows first, then those that share a value of a field. known: family -> why it wins, as the recipe says.

    dropped: rows whose honest completion has no total, which count nowhere.
    """

    total: str
    slices: Sequence[Slice]
    known: Mapping[Family, str]
    dropped: int = 0

    @property
    def failing(self) -> list[tuple[Slice, Verdict]]:
        """What must not be: a win that the recipe does not list, or a completion that would end a run."""
        return [
            (one, verdict)
            for one in self.slices
            for verdict in one.verdicts
            if (verdict.wins or verdict.fatal) and verdict.family not in self.known
        ]


@dataclass(frozen=True, kw_only=True)
class ProbeJob:
    """`rows` is a file, None for the recipe's dataset; `most` of its rows are taken. `say` gets notes.

    Writes nothing but the cassettes that the recipe names.
    """

    plan: Plan
    rows: str | None = None
    most: int = ROWS
    honest: str | None = None
    reference: str = "reference"
    by: Sequence[str] = ()
    rule: Rule = field(default_factory=Rule)
    long: int = LONG
    skip_bad: bool = False
    say: Callable[[str], None] = lambda text: None

    def run(self) -> Probed:
        """A UserError for rows that do not fit, before anything is scored; a JobError where too many say nothing."""
        refuse_policy(self.plan.judges, self.plan.document.where)
        assert self.plan.recipe.reward is not None
        wanted = Wanted(plan=self.plan, honest=self.honest, reference=self.reference)
        found = dataset_rows(wanted) if self.rows is None else read_rows(self.rows, wanted)
        self._refuse_bad(found)
        rows = chosen(found.rows, self.most)
        made = list(probes(rows, self.long, self.plan.recipe.seed))
        self._tell_of_questions(made)
        scored = self._scored(made)
        self._refuse_lost(scored)
        counted = [row for row in scored if row.honest.total is not None]
        self._warn_of_nothing(counted)
        sliced = [("all", counted), *slices(counted, self.by)]
        return Probed(
            total=self.plan.recipe.reward.total,
            slices=[Slice(name=name, rows=some, verdicts=verdicts(some, self.rule)) for name, some in sliced],
            known=self.plan.recipe.probe.known,
            dropped=len(scored) - len(counted),
        )

    def _refuse_bad(self, found: Found) -> None:
        if found.bad.count and not self.skip_bad:
            raise _refusal(found)
        if not found.rows:
            what = "no row is left to probe with" if found.bad.count else "it has no rows"
            raise UserError([*found.bad.listed, Problem(where=found.place, what=what)])
        if found.bad.count:
            self.say(f"warning: {found.place}: {found.bad.count} bad rows left out, the first: {found.bad.listed[0]}")

    def _tell_of_questions(self, made: Sequence[Probe]) -> None:
        """How often judges that may cost money are asked at most."""
        for name, planned in self.plan.components.items():
            if planned.spec.calls is None:
                continue
            each = [planned.ask("how often it asks", planned.spec.calls, planned.options, size) for size in sizes(made)]
            for judge in planned.judges():
                if not self.plan.judges[judge].spec.local:
                    self.say(f"{name} asks {judge} up to {sum(each):,} questions; fewer with --rows")

    def _refuse_lost(self, rows: Sequence[Measured]) -> None:
        """Where a component leaves out more honest completions than the recipe lets it, what is left proves nothing."""
        for name, planned in self.plan.components.items():
            causes = [row.lost[name] for row in rows if name in row.lost]
            use = planned.use
            allowed = 0.0 if use.on_missing == "fail" else use.max_missing
            if len(causes) > allowed * len(rows) or len(causes) == len(rows):
                what = f"{name} ({use.use}) has no value for {len(causes)} of {len(rows)} honest completions"
                raise JobError(f"{what} (max_missing is {allowed:.1%}); last: {causes[-1]}")
        if all(row.lost for row in rows):
            raise JobError(f"none of {len(rows)} honest completions has a total; last: {rows[-1].honest.why}")

    def _warn_of_nothing(self, rows: Sequence[Measured]) -> None:
        """An honest completion that earns as little as can be is behind nothing."""
        bounds = self.plan.total_range
        least = -math.inf if bounds is None else bounds[0]
        if all(row.honest.total is not None and row.honest.total <= least for row in rows):
            what = "is it in the form that the reward asks for?"
            self.say(f"warning: every honest completion gets {least:g}, the least that the total can be; {what}")

    def _scored(self, made: Sequence[Probe]) -> list[Measured]:
        with (
            Scorer(probing_plan(self.plan), keeping=Keeping(say=self.say)) as scorer,
            row_bar("probing", total=len(made)) as bar,
        ):
            scored = []
            for row in measured(self.plan, scorer, made):
                scored.append(row)
                bar.update()
            for line in scorer.judges.summary():
                self.say(line)
        return scored


def _refusal(found: Found) -> UserError:
    """What is wrong with the rows; once, where it is the same with all of them."""
    advice = "mend them, or leave them out with --skip-bad"
    first, count = found.bad.listed[0], found.bad.count
    if count == 1 or any(problem.what != first.what for problem in found.bad.listed):
        return found.bad.error(found.place, advice)
    return UserError([first, Problem(where=found.place, what=f"{count} bad rows, all listed ones for this; {advice}")])


def sizes(made: Sequence[Probe]) -> list[int]:
    """How many completions each row's group has."""
    return [len(distinct(probe)) for probe in made]
