"""The measurement of a recipe's judges for their licences, which are kept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rewardlab.data import BadRows
from rewardlab.errors import Problem, UserError
from rewardlab.files import expanded, sha256_of
from rewardlab.plan import Plan
from rewardlab.scorefile import lacks_part
from rewardlab.scoring import OpenScorer, Scorer
from rewardlab_training import measured_plan
from rewardlab_training.licences import (
    EVERY,
    LEVEL,
    JudgeLicence,
    Labels,
    Licence,
    Measured,
    asked_by,
    components_asking,
    keep_licence,
    licence_of,
    licence_path,
    read_licences,
)

from rewardlab_measure.judge_agreement.contradictions import contradictions
from rewardlab_measure.judge_agreement.gold_rows import GoldCase, read_cases
from rewardlab_measure.judge_agreement.job import JudgeJob
from rewardlab_measure.judge_agreement.slices import JudgedCase
from rewardlab_measure.judge_licence.measures import first_draws, licence_measures

RETESTS = 2
"""draws of a question, for flips, where the recipe asks once"""


@dataclass(frozen=True, kw_only=True)
class LicenceJob:
    """A measurement of the judges of a plan that have `require`, each by each component that asks it.

    Args:
        skip_bad: leave out rows that are wrong, and labels that contradict others.
        cluster: see `case_clusters`.
        open_scorer, say: as of `JudgeJob`.
    """

    plan: Plan
    skip_bad: bool = False
    cluster: str | None = None
    open_scorer: OpenScorer = Scorer
    say: Callable[[str], None] = lambda text: None

    def run(self) -> list[JudgeLicence]:
        """Measure and keep; return the licences as they stand then. A UserError if no judge requires one."""
        wanted = {name: planned.use for name, planned in self.plan.judges.items() if planned.use.require is not None}
        if not wanted:
            raise UserError("no judge of this recipe has `require`", where=self.plan.document.where(("judges",)))
        licences = []
        for judge, use in wanted.items():
            read_licences(licence_path(judge, use), judge)  # a damaged one is said before anybody is asked
        for judge, use in wanted.items():
            for component in components_asking(self.plan, judge):
                self._keep(licence_path(judge, use), judge, self._measure(judge, component))
                licences.append(licence_of(self.plan, judge, component))
        return licences

    def _keep(self, path: Path, judge: str, measured: Licence) -> None:
        """Keep a measurement, and say which stands now: one with fewer answers replaces none."""
        kept = keep_licence(path, judge, measured)
        lacks = f"{judge} left questions about {measured.unanswered} of {measured.labels.rows} labels without an answer"
        if kept is measured:
            self.say(f"kept in {path}{', though ' + lacks if measured.unanswered else ''}")
        else:
            stays = f"the measurement of {kept.at} stays, where {kept.unanswered or 'none'} did; measure again"
            self.say(f"warning: not kept in {path}: {lacks}; {stays}")

    def _measure(self, judge: str, component: str) -> Licence:
        require = self.plan.judges[judge].use.require
        assert require is not None
        labels = expanded(require.labels)
        again = require.max_flip_rate is not None and set(self.plan.draws(component).values()) <= {1}
        plan = measured_plan(self.plan, [component], RETESTS if again else None)
        cases = self._read(str(labels), plan)
        sha256 = sha256_of(labels)
        of_value = dict(values_of(cases, require.by))
        job = JudgeJob(
            plan=plan,
            rows=str(labels),
            cases=cases,
            cluster=self.cluster,
            open_scorer=self.open_scorer,
            say=self.say,
        )
        judged = job.judged()[component]
        unanswered = sum(any(lacks_part(score.error, score.info) for score in j.scores) for j in judged)
        lost = [outcome is None for j in judged for outcome in j.outcomes()]
        if any(lost):
            self.say(f"warning: {sum(lost)} of {len(lost)} pairs have no value of {component}, and count nowhere")
        measures: dict[str, dict[str, Measured]] = {}
        for value in dict.fromkeys(of_value.values()):
            measures[value] = _measures([j for j in judged if of_value[id(j.case)] == value], again)
        return Licence(
            component=component,
            asked=asked_by(self.plan, component),
            labels=Labels(path=require.labels, sha256=sha256, rows=len(cases)),
            by=require.by,
            level=LEVEL,
            measures=measures,
            unanswered=unanswered,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _read(self, labels: str, plan: Plan) -> list[GoldCase]:
        cases, bad = read_cases(labels, plan)
        return refuse_contradictions(labels, cases, bad, self.skip_bad, self.say)


def refuse_contradictions(
    path: str, cases: Sequence[GoldCase], bad: BadRows, skip_bad: bool, say: Callable[[str], None]
) -> list[GoldCase]:
    """Return the cases that no others contradict. A UserError lists what is wrong, unless it is to be left out."""
    against = contradictions(cases)
    for _, problem in against:
        bad.add(problem)
    contradicted = {id(case) for case, _ in against}
    kept = [case for case in cases if id(case) not in contradicted]
    bad.refuse(path, len(kept), "to judge", skip_bad, say)
    return kept


def values_of(cases: Sequence[GoldCase], by: str | None) -> Iterator[tuple[int, str]]:
    """Yield (id of a case, its value of `by`). A UserError lists the rows without one."""
    lacking = []
    for case in cases:
        value = EVERY if by is None else value_of(case, by)
        if value is None:
            lacking.append(
                Problem(where=case.row.group.sample.source, what=f"has no {by}, by which a licence is asked")
            )
        else:
            yield id(case), value
    if lacking:
        raise UserError(lacking)


def value_of(case: GoldCase, by: str) -> str | None:
    """Return what a case has in the field `by`; None if it has nothing there."""
    own = {"language": case.language, "kind": case.kind}.get(by)
    value = own if own is not None else case.row.group.sample.fields.get(by)
    return None if value is None else str(value)


def _measures(judged: Sequence[JudgedCase], again: bool) -> dict[str, Measured]:
    """Return the measures of cases. again: they were asked again for flips alone, and a run asks once."""
    measures = licence_measures(judged)
    flips = {name: measure for name, measure in measures.items() if name == "flip_rate"}
    return {**licence_measures(first_draws(judged)), **flips} if again else measures
