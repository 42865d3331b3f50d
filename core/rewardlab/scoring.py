"""Scoring groups: every component of a recipe at once, composed into totals and shaped rewards.

All of it happens on an event loop in a thread of its own: whoever asks, a trainer or another event loop, is
never held by a reward.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab.building import build
from rewardlab.cache import cache_dir
from rewardlab.causes.planned import decomposition_of
from rewardlab.composition import Composition, ScoredGroup, place_of
from rewardlab.cross_checks import refuse_policy
from rewardlab.devices import AUTO, resolve
from rewardlab.errors import JobError, UserError
from rewardlab.group_sampler import GroupSampler
from rewardlab.grouping import GroupStream
from rewardlab.judging import Judges, Keeping, open_judges, require_secrets
from rewardlab.judging.group_clock import GROUP, GroupClock
from rewardlab.lanes import Lane, open_lane
from rewardlab.loops import CallThread, LoopThread
from rewardlab.placement import opener, python_of
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.pool import Pool, PoolScoring, SampledPool, StreamedPool
from rewardlab.shared_lane import SharedLane
from rewardlab.specs import Context, RewardSpec
from rewardlab.types import Group, Sample, Score
from rewardlab.waiting import TooLate, in_time, together
from rewardlab.worker import WorkerPool, WorkerStartError
from rewardlab.workers import Workers

MOST_WORKERS = 4


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where rewards run: cache folder, and the torch device of their models; auto: a GPU if there is one."""

    cache_dir: Path = field(default_factory=cache_dir)
    device: str = AUTO


@dataclass(frozen=True, kw_only=True)
class Lent:
    """What a scorer lends another one: lanes by the borrower's names, and the processes that hold its models."""

    lanes: Mapping[str, Lane] = field(default_factory=dict)
    workers: Workers | None = None


class Scorer:
    """The reward of a plan, ready to score. Close it, or use it as a context manager.

    Judges and rewards are built here; a UserError or JobError names what cannot be. Worker processes start
    when they are first needed, or at `warm`; a reward that they cannot build is a JobError then. `keeping` says
    where judges' answers are kept, and what happens where nobody can read them.

    judges: the judges that are not local, by name, where another process hosts them: objects with
        `async ask(Ask) -> Reply` and `understood(reply, ok)`. They are neither opened, checked nor closed here,
        and no secret is asked for.
    lent: what another scorer lends, which is closed after this one.
    """

    def __init__(
        self,
        plan: Plan,
        machine: Machine | None = None,
        zero_truncated: bool = False,
        keeping: Keeping | None = None,
        judges: Mapping[str, Any] | None = None,
        lent: Lent | None = None,
    ):
        assert plan.recipe.reward is not None
        assert plan.expression is not None
        if judges is None:
            refuse_policy(plan.judges, plan.document.where)
            require_secrets(plan, plan.asked_by_rewards)
        self._plan = plan
        self._machine = machine or Machine()
        self._home = LoopThread("rewardlab-scoring")
        self._closing = ExitStack()
        self._pools: list[WorkerPool] = []
        lent = lent or Lent()
        self._workers = lent.workers or self._own_workers()
        self.judges = Judges({})
        try:
            here = {name: p for name, p in plan.judges.items() if judges is None or p.spec.local}
            self.judges = open_judges(here, self._home, self._context(Judges({})), keeping or Keeping())
            elsewhere = {name: (judges or {})[name] for name in plan.judges if name not in here}
            known = Judges({**self.judges, **elsewhere})
            self._lanes = {
                name: lent.lanes.get(name) or self._open(name, planned, known)
                for name, planned in plan.components.items()
            }
            self.composition = Composition(
                expression=plan.expression,
                uses=plan.recipe.reward.components,
                normalizers=[self._build_normalizer(planned) for planned in plan.normalizers],
                zero_truncated=zero_truncated,
                decomposition=decomposition_of(plan),
            )
            self._sampler = self._build_sampler(plan.curriculum)
        except BaseException:
            self.close()
            raise

    def score_groups(self, groups: Sequence[Group], zero_truncated: bool | None = None) -> list[ScoredGroup]:
        """Scores of complete groups, in order; waits for them. Not for use on an event loop.

        zero_truncated: other than the scorer's own, for an evaluation that shares a training's scorer.
        """
        return self._home.run(self._score_all(groups, self._composed(zero_truncated)))

    def submit(self, group: Group) -> "Future[ScoredGroup]":
        """Start scoring a complete group; from any thread."""
        return self._home.submit(self._score(GroupStream.of(group), self.composition))

    async def score(
        self, stream: GroupStream, timeout: float | None = None, zero_truncated: bool | None = None
    ) -> ScoredGroup:
        """Scores of one group as its completions arrive; from any event loop, without holding it.

        timeout: seconds that scoring may take once the group is complete; then a JobError tells which components
            have not answered, and what is under way is cancelled.
        """
        return await self._home.here(self._score(stream, self._composed(zero_truncated), timeout))

    def collect(
        self,
        sample: Sample,
        size: int,
        timeout: float | None = None,
        zero_truncated: bool | None = None,
        sampled: bool = True,
    ) -> Pool:
        """An empty pool for a group of `size`, into which a trainer puts completions as it has them.

        timeout: as `score` has it; with a group sampler it holds for each completion by itself once it is there,
            and for the chosen group.
        sampled: false where the recipe's group sampler is not to choose, as in an evaluation.
        """
        composition = self._composed(zero_truncated)
        if self._sampler is None or not sampled:

            def start(stream: GroupStream) -> "Future[ScoredGroup]":
                return self._home.submit(self._score(stream, composition, timeout))

            return StreamedPool(sample, size, start)
        in_group = {name for name, p in self._plan.components.items() if p.spec.scope == "group"}
        scoring = PoolScoring(
            home=self._home,
            alone=partial(self._scores, names=[name for name in self._lanes if name not in in_group], timeout=timeout),
            in_group=partial(self._scores, names=[name for name in self._lanes if name in in_group], timeout=timeout),
            compose=partial(composition.compose_kept, seed=self._plan.recipe.seed),
        )
        return SampledPool(sample, size, self._sampler, scoring)

    def lend(self, names: Mapping[str, str]) -> Lent:
        """For another scorer, under the same seed, that is asked for the same groups: each of these components scores
        a group once for both. `names`: the borrower's name of a component -> the one here.
        """
        for name in names.values():
            self._lanes[name] = SharedLane(self._lanes[name], self._home)
        return Lent(lanes={theirs: self._lanes[name] for theirs, name in names.items()}, workers=self._workers)

    def run(self, work: Any) -> Any:
        """Run a coroutine on the scoring loop and wait for it."""
        return self._home.run(work)

    def warm(self) -> None:
        """Start worker processes now, so that their start-up overlaps with the caller's."""
        self._workers.warm()
        for pool in self._pools:
            pool.warm()

    def close(self) -> None:
        """End what is being scored, worker processes and threads; idempotent.

        Waits a few seconds for code that cannot be interrupted, then leaves its (daemon) thread behind.
        """
        try:
            self.judges.close()
        finally:
            self._home.close()  # first, so that nobody mistakes the end of a thread for a failure of its reward
            self._closing.close()

    def __enter__(self) -> "Scorer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _own_workers(self) -> Workers:
        workers = Workers(cache=self._machine.cache_dir, seed=self._plan.recipe.seed)
        self._closing.callback(workers.close)
        return workers

    def _build_normalizer(self, planned: Planned) -> tuple[str, Any]:
        use = planned.use.use
        return use, build(planned, self._context(Judges({})), f"normalizer {use}", "shape")

    def _build_sampler(self, planned: Planned | None) -> GroupSampler | None:
        if planned is None or planned.spec.most is None:
            return None
        return GroupSampler(planned, self._context(Judges({})))

    def _composed(self, zero_truncated: bool | None) -> Composition:
        return self.composition if zero_truncated is None else replace(self.composition, zero_truncated=zero_truncated)

    def _open(self, name: str, planned: Planned, judges: Judges) -> Lane:
        spec: RewardSpec = planned.spec
        if planned.use.timeout is not None:
            spec = replace(spec, timeout=planned.use.timeout)
        if spec.runs == "worker":
            return open_lane(spec, None, pool=self._pool(planned, spec))
        reward = self._build_reward(name, planned, judges)
        if spec.runs != "thread":
            return open_lane(spec, reward)
        if spec.scope == "group":
            home = LoopThread(f"rewardlab-{name}")
            self._closing.callback(home.close)
            return open_lane(spec, reward, home=home)
        thread = CallThread(f"rewardlab-{name}")
        self._closing.callback(thread.close)
        return open_lane(spec, reward, thread=thread)

    def _build_reward(self, name: str, planned: Planned, judges: Judges) -> Any:
        what = f"component {name!r} ({planned.use.use})"
        context = self._context(judges, planned.use.device)
        try:
            workers = opener(self._workers, self._plan, planned, self._machine.device)
        except UserError as error:
            raise UserError(f"{what}: {error}") from error
        return build(planned, replace(context, workers=workers), what, "score")

    def _pool(self, planned: Planned, spec: RewardSpec) -> WorkerPool:
        pool = WorkerPool(
            use=planned.use.use,
            spec=spec,
            options=planned.options,
            context=self._context(Judges({}), planned.use.device),
            size=planned.use.workers or min(MOST_WORKERS, os.cpu_count() or 1),
            threads=planned.use.threads,
            python=python_of(self._plan, planned),
        )
        self._closing.callback(pool.close)
        self._pools.append(pool)
        return pool

    def _context(self, judges: Judges, device: str | None = None) -> Context:
        return Context(
            seed=self._plan.recipe.seed,
            judges=judges,
            cache_dir=self._machine.cache_dir,
            device=resolve(device or self._machine.device),
        )

    async def _score_all(self, groups: Sequence[Group], composition: Composition) -> list[ScoredGroup]:
        streams = [GroupStream.of(group) for group in groups]
        return await together(self._score(stream, composition) for stream in streams)

    async def _score(self, stream: GroupStream, composition: Composition, timeout: float | None = None) -> ScoredGroup:
        components = await self._scores(stream, list(self._lanes), timeout)
        return composition.compose(await stream.group(), components, self._plan.recipe.seed)

    async def _scores(
        self, stream: GroupStream, names: Sequence[str], timeout: float | None
    ) -> dict[str, Sequence[Score]]:
        """What these components say of a group; see `score` for the timeout."""
        found: dict[str, Sequence[Score]] = {}

        async def ask(name: str) -> None:
            try:
                found[name] = await self._lanes[name].score(stream)
            except WorkerStartError as error:
                raise JobError(f"component {name!r}: {error}") from error

        token = GROUP.set(GroupClock(stream))
        try:
            work = together(ask(name) for name in names)
            await (work if timeout is None else in_time(work, stream, timeout))
        except TooLate:
            uses = self.composition.uses
            silent = ", ".join(f"{name} ({uses[name].use})" for name in names if name not in found)
            what = f"scoring {place_of(stream.sample)} took longer than {timeout:g} s; no answer yet from: {silent}"
            raise JobError(what) from None
        finally:
            GROUP.reset(token)
        self.judges.check()
        return {name: found[name] for name in names}
