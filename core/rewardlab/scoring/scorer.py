"""The scorer of a recipe: scores every component of a group at once and composes totals and shaped rewards.

All of it happens on an event loop in a thread of its own, so that no reward ever blocks its caller, be it a trainer
or another event loop.
"""

from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from rewardlab.concurrency.gather import gather_or_cancel
from rewardlab.concurrency.threads import LoopThread
from rewardlab.errors import JobError
from rewardlab.group_stream import GroupStream
from rewardlab.judging.group_deadline import GROUP_CLOCK, UNANSWERED, GroupClock
from rewardlab.judging.judges import Judges, open_judges, require_secrets
from rewardlab.judging.settings import JudgingSettings
from rewardlab.plan import Plan
from rewardlab.plan.component import build
from rewardlab.plan.policy_judge import refuse_policy
from rewardlab.scoring.component_executors import ComponentExecutors, Machine
from rewardlab.scoring.composition import Composition, ScoredGroup
from rewardlab.scoring.deadline import in_time
from rewardlab.scoring.decomposition import decomposition_of
from rewardlab.scoring.executors import Executor
from rewardlab.scoring.failed_rollouts import scores_of_answers
from rewardlab.scoring.group_sampler import CheckedGroupSampler
from rewardlab.scoring.pool import Pool, PoolScoring, SampledPool, Scores, StreamedPool
from rewardlab.scoring.reading import reading_of, with_markers
from rewardlab.scoring.teaching import Teaching, Votes
from rewardlab.types import Group, Sample, Score
from rewardlab.workers.errors import WorkerStartError
from rewardlab.workers.shared import Workers

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Purpose:
    """The purpose of scores: how totals are composed, and which groups teach; an evaluation leaves none out."""

    composition: Composition
    teaching: Teaching | None


class Scorer(AbstractContextManager["Scorer"]):
    """The reward of a plan, ready to score. Close it, or use it as a context manager.

        with Scorer(make_plan(load("recipe.yaml"), purpose="score")) as scorer:
            scored = scorer.score_groups([Group(sample=sample, completions=completions)])

    Judges and rewards are built here; a UserError or JobError names the one that cannot be built. Worker processes
    start when they are first needed, or at `warm`; a reward that cannot be built in them is a JobError then.

    Args:
        zero_truncated: give truncated completions a total of 0.
        judging: where judges' answers are kept, and what happens where they cannot be parsed.
        judges: clients (JudgeClient) of the judges that are not local, by name, if another process hosts them. They are
            neither opened, checked nor closed here, and no secret is asked for.
        executors, workers: those that another scorer shares, which is closed after this one.
        home: the loop to score on, where `judges` live on it, too; it is closed after this scorer.
        policy: the model in training, if it can be asked as a judge; `Context.policy` of the judges built here.
    """

    hosts = 1
    """processes that score; so many times more rows may be under way"""

    def __init__(
        self,
        plan: Plan,
        machine: Machine | None = None,
        zero_truncated: bool = False,
        judging: JudgingSettings | None = None,
        judges: Mapping[str, Any] | None = None,
        executors: Mapping[str, Executor] | None = None,
        workers: Workers | None = None,
        home: LoopThread | None = None,
        policy: Any = None,
    ) -> None:
        assert plan.recipe.reward is not None
        assert plan.expression is not None
        if judges is None and policy is None:
            refuse_policy(plan.judges, plan.document.where)
        if judges is None:
            require_secrets(plan, plan.asked_by_rewards)
        self._plan = plan
        machine = machine or Machine()
        self._owns_home = home is None
        self.home = home or LoopThread("rewardlab-scoring")
        self._closing = ExitStack()
        self.workers = workers or self._closing.enter_context(Workers(cache=machine.cache_dir, seed=plan.recipe.seed))
        self._opened = ComponentExecutors(plan=plan, machine=machine, workers=self.workers, closing=self._closing)
        self.judges = Judges({})
        try:
            here = {name: p for name, p in plan.judges.items() if judges is None or p.spec.local}
            bare = self._opened.context(Judges({}))
            self.judges = open_judges(here, self.home, replace(bare, policy=policy), judging or JudgingSettings())
            elsewhere = {name: (judges or {})[name] for name in plan.judges if name not in here}
            known = Judges({**self.judges, **elsewhere})
            self.executors = {
                name: (executors or {}).get(name) or self._opened.open(name, planned, known)
                for name, planned in plan.components.items()
            }
            self._readings = {name: reading_of(planned) for name, planned in plan.components.items()}
            self.composition = Composition(
                expression=plan.expression,
                uses=plan.recipe.reward.components,
                normalizers=[(p.use.use, build(p, bare, f"normalizer {p.use.use}", "shape")) for p in plan.normalizers],
                centred=plan.centred,
                by_component=plan.by_component,
                zero_truncated=zero_truncated,
                decomposition=decomposition_of(plan),
            )
            self.teaching = Teaching.of(plan.recipe.reward)
            self._sampler = None if plan.sampler is None else CheckedGroupSampler(plan.sampler, bare)
        except BaseException:
            self.close()
            raise

    def score_groups(
        self, groups: Sequence[Group], progress: float | None = None, evaluation: bool = False
    ) -> list[ScoredGroup]:
        """Return complete groups scored, in order; wait for them. Not for use on an event loop.

        progress: of the training, 0 to 1; None is what the recipe declares, as in an evaluation.
        evaluation: nobody trains on them: truncated completions have their totals, and no group is left out.
        """
        purpose, streams = self._purpose(evaluation, progress), [GroupStream.of(group) for group in groups]
        return self.home.run(gather_or_cancel(self._score(stream, purpose) for stream in streams))

    def submit(self, group: Group, evaluation: bool = False) -> "Future[ScoredGroup]":
        """Start to score a complete group, from any thread, and return the future of the result; see `score_groups`."""
        return self.home.submit(self._score(GroupStream.of(group), self._purpose(evaluation)))

    async def score(self, stream: GroupStream, timeout: float | None = None, evaluation: bool = False) -> ScoredGroup:
        """Return one group scored as its completions arrive; from any event loop, without blocking it.

        timeout: seconds that scoring may take once the group is complete; then the work is cancelled, and a JobError
            names the components that have not answered.
        evaluation: as in `score_groups`.
        """
        return await self.home.here(self._score(stream, self._purpose(evaluation), timeout))

    def collect(
        self,
        sample: Sample,
        size: int,
        timeout: float | None = None,
        progress: float | None = None,
        evaluation: bool = False,
        sampled: bool = False,
    ) -> Pool:
        """Return an empty pool for a group of `size`, into which a trainer puts completions as they arrive.

        timeout: as in `score`; with a group sampler it applies to each completion by itself once it is there, and to
            the chosen group.
        progress, evaluation: as in `score_groups`.
        sampled: whether the recipe's group sampler chooses: for trainers that give it the further completions that it
            wants, and train on those that it keeps, in its order. Others get the rewards in the order of what they put.
        """
        purpose = self._purpose(evaluation, progress)
        if self._sampler is None or not sampled:
            stream = GroupStream(sample, size)
            return StreamedPool(stream, self.home.submit(self._score(stream, purpose, timeout)))
        in_group = {name for name, p in self._plan.components.items() if p.spec.scope == "group"}
        scoring = PoolScoring(
            home=self.home,
            alone=partial(
                self.scores_of, names=[name for name in self.executors if name not in in_group], timeout=timeout
            ),
            in_group=partial(
                self.scores_of, names=[name for name in self.executors if name in in_group], timeout=timeout
            ),
            compose=partial(self._compose_kept, purpose),
        )
        return SampledPool(sample, size, self._sampler, scoring)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the scoring loop and return its result."""
        return self.home.run(work)

    def warm(self) -> None:
        """Start worker processes now, so that their start-up overlaps with the caller's."""
        self._opened.warm()

    def close(self) -> None:
        """End all scoring, worker processes and threads; closing again does nothing.

        This waits a few seconds for code that cannot be interrupted, then leaves its (daemon) thread behind.
        """
        try:
            self.judges.close()
        finally:
            if self._owns_home:
                self.home.close()  # first, so that the end of a thread does not look like a failure of its reward
            self._closing.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _purpose(self, evaluation: bool, progress: float | None = None) -> _Purpose:
        composition = self.composition.at(progress)
        if evaluation:
            return _Purpose(replace(composition, zero_truncated=False), None)
        return _Purpose(composition, self.teaching)

    async def _score(self, stream: GroupStream, purpose: _Purpose, timeout: float | None = None) -> ScoredGroup:
        components = await self.scores_of(stream, list(self.executors), timeout)
        group = purpose.composition.compose(await stream.group(), components, self._plan.recipe.seed)
        return self._decided(group, purpose.teaching)

    def _compose_kept(
        self, purpose: _Purpose, pool: Group, kept: Sequence[int], alone: Scores, in_group: Scores
    ) -> ScoredGroup:
        composition, teaching = purpose.composition, purpose.teaching
        group = composition.compose_kept(pool, kept, alone, in_group, self._plan.recipe.seed)
        if teaching is None or not group.centred or not {*composition.expression.names, teaching.by} <= {*alone}:
            return self._decided(group, teaching)
        totals = composition.totals(pool, composition.columns(pool.sample, alone))  # their mean is off the advantages
        return self._decided(group, teaching, (alone, totals))

    def _decided(self, group: ScoredGroup, teaching: Teaching | None, of_pool: Votes | None = None) -> ScoredGroup:
        return group if teaching is None else teaching.decided(group, self.composition.uses[teaching.by], of_pool)

    async def scores_of(self, stream: GroupStream, names: Sequence[str], timeout: float | None) -> Scores:
        """Return the scores of a group by these components; see `score`. Who scores elsewhere overrides it."""
        scores_by_name: dict[str, Sequence[Score]] = {}

        async def ask(name: str) -> None:
            lost: list[str] = []
            UNANSWERED.set(lost)  # in this task's own context
            try:
                read = self._readings[name]
                answered = await scores_of_answers(self.executors[name], stream, read)
                scores = self._with_losses(name, answered, len(lost))
                judged = (await stream.group()).completions if self._plan.components[name].judges() else ()
                scores_by_name[name] = with_markers(scores, judged, read) if judged else scores
            except WorkerStartError as error:
                raise JobError(f"component {name!r}: {error}") from error

        def silent() -> str:
            uses = self.composition.uses
            return ", ".join(f"{name} ({uses[name].use})" for name in names if name not in scores_by_name)

        token = GROUP_CLOCK.set(GroupClock(stream))
        try:
            work = gather_or_cancel(ask(name) for name in names)
            await (work if timeout is None else in_time(work, stream, timeout, silent))
        finally:
            GROUP_CLOCK.reset(token)
        self.judges.check()
        return {name: scores_by_name[name] for name in names}

    def _with_losses(self, name: str, scores: Sequence[Score], lost: int) -> Sequence[Score]:
        """Note in `info` which values rest on fewer answers than were asked for, unless failed scores say so."""
        failed = any(score.error is not None for score in scores)
        if not lost or (failed and self._plan.components[name].spec.scope != "group"):
            return scores
        return [s if s.value is None else replace(s, info={**s.info, "unanswered": lost}) for s in scores]
