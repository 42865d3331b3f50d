"""Scoring groups: every component of a recipe at once, composed into totals and shaped rewards.

All of it happens on an event loop in a thread of its own: whoever asks, a trainer or another event loop, is
never held by a reward.
"""

import asyncio
import os
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rewardlab.composition import Composition, ScoredGroup
from rewardlab.errors import JobError, RewardlabError, UserError, one_line
from rewardlab.grouping import GroupStream
from rewardlab.judging import HostedJudge, Judges
from rewardlab.lanes import Lane, open_lane
from rewardlab.loops import CallThread, LoopThread
from rewardlab.plan import Plan, Planned
from rewardlab.specs import Context, RewardSpec
from rewardlab.types import Group
from rewardlab.worker import WorkerPool

MOST_WORKERS = 4


def _cache_dir() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rewardlab"


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where rewards run: cache folder and torch device."""

    cache_dir: Path = field(default_factory=_cache_dir)
    device: str = "cpu"


class Scorer:
    """The reward of a plan, ready to score. Close it, or use it as a context manager.

    Judges and rewards are built here; a UserError or JobError names what cannot be. Worker processes start
    when they are first needed, or at `warm`; a reward that they cannot build is a JobError then.
    """

    def __init__(self, plan: Plan, machine: Machine | None = None, zero_truncated: bool = False):
        assert plan.recipe.reward is not None
        assert plan.expression is not None
        self._plan = plan
        self._machine = machine or Machine()
        self._home = LoopThread("rewardlab-scoring")
        self._closing = ExitStack()
        self._pools: list[WorkerPool] = []
        try:
            self._judges = self._home.run(self._build_judges())
            self._lanes = {name: self._open(name, planned) for name, planned in plan.components.items()}
            self.composition = Composition(
                expression=plan.expression,
                uses=plan.recipe.reward.components,
                normalizers=[self._build_normalizer(planned) for planned in plan.normalizers],
                zero_truncated=zero_truncated,
            )
        except BaseException:
            self.close()
            raise

    def score_groups(self, groups: Sequence[Group]) -> list[ScoredGroup]:
        """Scores of complete groups, in order; waits for them. Not for use on an event loop."""
        return self._home.run(self._score_all(groups))

    def submit(self, group: Group) -> "Future[ScoredGroup]":
        """Start scoring a complete group; from any thread."""
        return self._home.submit(self._score(GroupStream.of(group)))

    async def score(self, stream: GroupStream) -> ScoredGroup:
        """Scores of one group as its completions arrive; from any event loop, without holding it."""
        return await self._home.here(self._score(stream))

    def run(self, work: Any) -> Any:
        """Run a coroutine on the scoring loop and wait for it."""
        return self._home.run(work)

    def warm(self) -> None:
        """Start worker processes now, so that their start-up overlaps with the caller's."""
        for pool in self._pools:
            pool.warm()

    def close(self) -> None:
        """End what is being scored, worker processes and threads; idempotent.

        Waits a few seconds for code that cannot be interrupted, then leaves its (daemon) thread behind.
        """
        self._home.close()  # first, so that nobody mistakes the end of a thread for a failure of its reward
        self._closing.close()

    def __enter__(self) -> "Scorer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _build_judges(self) -> Judges:
        hosted = {}
        for name, planned in self._plan.judges.items():
            judge = self._build(planned, f"judge {name!r} ({planned.use.use})", "ask")
            hosted[name] = HostedJudge(name, judge, planned.spec, planned.use, self._home)
        return Judges(hosted)

    def _build_normalizer(self, planned: Planned) -> tuple[str, Any]:
        use = planned.use.use
        return use, self._build(planned, f"normalizer {use}", "shape")

    def _open(self, name: str, planned: Planned) -> Lane:
        spec: RewardSpec = planned.spec
        if planned.use.timeout is not None:
            spec = replace(spec, timeout=planned.use.timeout)
        if spec.runs == "worker":
            return open_lane(spec, None, pool=self._pool(planned, spec))
        reward = self._build(planned, f"component {name!r} ({planned.use.use})", "score", self._judges)
        if spec.runs != "thread":
            return open_lane(spec, reward)
        if spec.scope == "group":
            home = LoopThread(f"rewardlab-{name}")
            self._closing.callback(home.close)
            return open_lane(spec, reward, home=home)
        thread = CallThread(f"rewardlab-{name}")
        self._closing.callback(thread.close)
        return open_lane(spec, reward, thread=thread)

    def _pool(self, planned: Planned, spec: RewardSpec) -> WorkerPool:
        size = planned.use.workers or min(MOST_WORKERS, os.cpu_count() or 1)
        context = self._context(Judges({}))
        pool = WorkerPool(use=planned.use.use, spec=spec, options=planned.options, context=context, size=size)
        self._closing.callback(pool.close)
        self._pools.append(pool)
        return pool

    def _context(self, judges: Judges) -> Context:
        return Context(
            seed=self._plan.recipe.seed,
            judges=judges,
            cache_dir=self._machine.cache_dir,
            device=self._machine.device,
        )

    def _build(self, planned: Planned, what: str, needs: str, judges: Judges | None = None) -> Any:
        """What the plugin builds: an object with the method `needs`."""
        try:
            built = planned.spec.build(planned.options, self._context(judges or Judges({})))
        except RewardlabError as error:
            kind = UserError if isinstance(error, UserError) else JobError
            raise kind(f"{what}: {error}") from error
        except (Exception, SystemExit) as error:  # the one place where an exception in `build` gets its name
            raise JobError(f"{what} could not be built: {one_line(error)}") from error
        if not callable(getattr(built, needs, None)):
            raise JobError(f"{what} could not be built: `build` gave {type(built).__name__} without `{needs}`")
        return built

    async def _score_all(self, groups: Sequence[Group]) -> list[ScoredGroup]:
        streams = [GroupStream.of(group) for group in groups]
        return await together(self._score(stream) for stream in streams)

    async def _score(self, stream: GroupStream) -> ScoredGroup:
        scored = await together(lane.score(stream) for lane in self._lanes.values())
        components = dict(zip(self._lanes, scored, strict=True))
        return self.composition.compose(await stream.group(), components, self._plan.recipe.seed)


async def together(work: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Results of coroutines run at once, in order. The first failure cancels the others and is raised."""
    coroutines = list(work)
    if len(coroutines) == 1:  # the usual case needs no task of its own
        return [await coroutines[0]]
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
