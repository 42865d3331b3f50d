"""The components of a plan, built and opened on this machine: each with the executor that runs it."""

import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError
from rewardlab.files import cache_dir
from rewardlab.judging.judges import Judges, NamedJudges
from rewardlab.judging.member import JudgeOfDraw
from rewardlab.plan import Plan
from rewardlab.plan.component import Component, build
from rewardlab.plan.unused_async import awaits_nothing
from rewardlab.recipe.use import MAX_REPEATS
from rewardlab.scoring.executors import Executor, open_executor, pool_executor
from rewardlab.scoring.repeated import Repeated
from rewardlab.scoring.watched_calls import watched
from rewardlab.specs import Context, RewardSpec
from rewardlab.text.redaction import redact
from rewardlab.workers.devices import AUTO_DEVICE, resolve_device
from rewardlab.workers.placement import opener, python_of
from rewardlab.workers.reward_pool import WorkerPool
from rewardlab.workers.shared import Workers

MAX_WORKERS = 4


@dataclass(frozen=True, kw_only=True)
class Machine:
    """The machine that rewards run on: cache folder, and torch device of their models (auto: a GPU if there is one)."""

    cache_dir: Path = field(default_factory=cache_dir)
    device: str = AUTO_DEVICE


@dataclass(frozen=True, kw_only=True)
class ComponentExecutors:
    """The executors of a plan's components, opened one by one.

    Args:
        workers: those that components share.
        closing: what is opened here is closed with it.
    """

    plan: Plan
    machine: Machine
    workers: Workers
    closing: ExitStack
    _pools: list[WorkerPool] = field(default_factory=list)

    def context(self, judges: NamedJudges[Any], device: str | None = None) -> Context:
        """Return what a component with these judges is built with; without a device, that of the machine."""
        return Context(
            seed=self.plan.recipe.seed,
            judges=judges,
            cache_dir=self.machine.cache_dir,
            device=resolve_device(device or self.machine.device),
        )

    def open(self, name: str, planned: Component, judges: Judges) -> Executor:
        """Return the executor of a component; a UserError or JobError says why it cannot be built."""
        limits = {"timeout": planned.use.timeout, "memory": planned.use.memory}
        spec: RewardSpec = replace(planned.spec, **{key: given for key, given in limits.items() if given is not None})
        if spec.runs == "worker":
            return pool_executor(spec, self._pool(name, planned, spec))
        draws = self.plan.draws(name)
        if not (planned.panel or planned.use.commit_first or any(times > 1 for times in draws.values())):
            return self._executor(name, planned, spec, judges)

        def member(judge: str, draw: int) -> Executor:
            asked = partial(JudgeOfDraw, index=draw, count=2 * MAX_REPEATS, commit_first=planned.use.commit_first)
            named: dict[str, Any] = {key: asked(one) for key, one in judges.items()}
            options = planned.options.model_copy(update=planned.panel.get(judge))
            return self._executor(name, replace(planned, options=options), spec, NamedJudges(named))

        return Repeated(planned.use, spec, {judge: draws[judge] for judge in planned.panel or [*draws][:1]}, member)

    def _executor(self, name: str, planned: Component, spec: RewardSpec, judges: NamedJudges[Any]) -> Executor:
        title, context = f"component {name!r} ({planned.use.use})", self.context(judges, planned.use.device)
        try:
            workers = opener(self.workers, self.plan, planned, self.machine.device)
        except UserError as error:
            raise UserError(f"{title}: {error}") from error
        reward = build(planned, replace(context, workers=workers), title, "score")
        if idle := awaits_nothing(planned.spec, reward):
            _warn_once(f"{title}: {idle}")
        return open_executor(spec, watched(reward.score, spec, title), f"rewardlab-{name}", self.closing)

    def warm(self) -> None:
        """Start the worker processes."""
        self.workers.warm()
        for pool in self._pools:
            pool.warm()

    def _pool(self, name: str, planned: Component, spec: RewardSpec) -> WorkerPool:
        pool = WorkerPool(
            use=planned.use.use,
            spec=spec,
            options=planned.options,
            context=self.context(Judges({}), planned.use.device),
            size=planned.use.workers or min(MAX_WORKERS, os.cpu_count() or 1),
            threads=planned.use.threads,
            python=python_of(self.plan, planned),
            title=f"{name} ({planned.use.use})",
        )
        self.closing.callback(pool.close)
        self._pools.append(pool)
        return pool


@cache
def _warn_once(text: str) -> None:
    """Print a warning, once in a process: a run opens several scorers."""
    print(redact(f"warning: {text}"), file=sys.stderr)
