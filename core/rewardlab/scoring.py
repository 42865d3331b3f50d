"""Scoring groups: every component of a recipe at once, composed into totals and shaped rewards.

All of it happens on an event loop in a thread of its own: whoever asks, a trainer or another event loop, is
never held by a reward.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab.call_thread import CallThread
from rewardlab.composition import Composition, ScoredGroup
from rewardlab.errors import JobError, RewardlabError, UserError, one_line
from rewardlab.grouping import GroupStream
from rewardlab.judging import HostedJudge, Judges
from rewardlab.lanes import GroupLane, ItemLane, open_lane
from rewardlab.loops import LoopThread
from rewardlab.plan import Plan, Planned
from rewardlab.specs import Context
from rewardlab.types import Group, Score
from rewardlab.worker import WorkerPool

MOST_WORKERS = 4


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where rewards run: cache folder and torch device."""

    cache_dir: Path = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "rewardlab"
    device: str = "cpu"


class Scorer:
    """The reward of a plan, ready to score. Close it, or use it as a context manager.

    Judges and rewards are built here; a UserError or JobError names what cannot be. Worker processes start when
    they are first needed, or at `warm`.
    """

    def __init__(self, plan: Plan, machine: Machine | None = None, zero_truncated: bool = False):
        assert plan.recipe.reward is not None
        assert plan.expression is not None
        self._plan = plan
        self._machine = machine or Machine()
        self._home = LoopThread("rewardlab-scoring")
        self._closing: list[Callable[[], Any]] = [self._home.close]
        self._pools: list[WorkerPool] = []
        self._lanes: dict[str, ItemLane | GroupLane] = {}
        try:
            self._judges = self._home.run(self._build_judges())
            for name, planned in plan.components.items():
                self._lanes[name] = self._open(name, planned)
            self.composition = Composition(
                expression=plan.expression,
                uses=plan.recipe.reward.components,
                normalizers=[(n.use.use, self._build(n, f"normalizer {n.use.use}")) for n in plan.normalizers],
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
        """End worker processes and threads; idempotent."""
        while self._closing:
            self._closing.pop()()

    def __enter__(self) -> "Scorer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _build_judges(self) -> Judges:
        hosted = {}
        for name, planned in self._plan.judges.items():
            judge = self._build(planned, f"judge {name!r} ({planned.use.use})", judges={})
            hosted[name] = HostedJudge(name, judge, planned.spec, planned.use, self._home)
        return Judges(hosted)

    def _open(self, name: str, planned: Planned) -> ItemLane | GroupLane:
        spec = planned.spec
        if planned.use.timeout is not None:
            spec = replace(spec, timeout=planned.use.timeout)
        pool = reward = home = None
        thread = CallThread(f"rewardlab-{name}") if spec.runs == "thread" and spec.scope != "group" else None
        if thread is not None:
            self._closing.append(partial(thread.shutdown, wait=False, cancel_futures=True))
        if spec.runs == "worker":
            pool = self._pool(planned, spec)
        else:
            reward = self._build(planned, f"component {name!r} ({planned.use.use})", judges=self._judges)
            if spec.scope == "group" and spec.runs == "thread":
                home = LoopThread(f"rewardlab-{name}")
                self._closing.append(home.close)
        return open_lane(spec, reward, pool, thread, home)

    def _pool(self, planned: Planned, spec: Any) -> WorkerPool:
        size = planned.use.workers or min(MOST_WORKERS, os.cpu_count() or 1)
        context = self._context({})
        pool = WorkerPool(use=planned.use.use, spec=spec, options=planned.options, context=context, size=size)
        self._closing.append(pool.close)
        self._pools.append(pool)
        return pool

    def _context(self, judges: Any) -> Context:
        return Context(
            seed=self._plan.recipe.seed,
            judges=judges,
            cache_dir=self._machine.cache_dir,
            device=self._machine.device,
        )

    def _build(self, planned: Planned, what: str, judges: Any = None) -> Any:
        try:
            return planned.spec.build(planned.options, self._context({} if judges is None else judges))
        except RewardlabError as error:
            kind = UserError if isinstance(error, UserError) else JobError
            raise kind(f"{what}: {error}") from error
        except Exception as error:  # the one place where an exception in `build` gets its name
            raise JobError(f"{what} could not be built: {one_line(error)}") from error

    async def _score_all(self, groups: Sequence[Group]) -> list[ScoredGroup]:
        return await together(self._score(GroupStream.of(group)) for group in groups)

    async def _score(self, stream: GroupStream) -> ScoredGroup:
        # group-scope rewards read the stream while it fills; the others wait for the group
        early = [
            (name, asyncio.ensure_future(lane.score(stream)))
            for name, lane in self._lanes.items()
            if isinstance(lane, GroupLane)
        ]
        try:
            group = await stream.group()
            items = [(group.sample, completion) for completion in group.completions]
            names = [name for name, lane in self._lanes.items() if isinstance(lane, ItemLane)]
            scored = await together(self._lanes[name].score(items) for name in names)
            found: dict[str, Sequence[Score]] = dict(zip(names, scored, strict=True))
            for name, task in early:
                found[name] = await task
        finally:
            for _, task in early:
                task.cancel()
        components = {name: found[name] for name in self._lanes}
        return self.composition.compose(group, components, self._plan.recipe.seed)


async def together(work: Iterable[Any]) -> list[Any]:
    """Results of coroutines that run at once, in order; the first failure cancels the others and is raised."""
    coroutines = list(work)
    if len(coroutines) == 1:
        return [await coroutines[0]]
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
