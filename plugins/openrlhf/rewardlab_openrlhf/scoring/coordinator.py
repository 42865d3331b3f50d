"""The coordinator of an rl stage: one process that holds the judges, hands out prompts in order and writes the ledger.

It also keeps the reason why the job has to end. A plain class; `service` makes it a Ray actor. What an actor that Ray
restarts has to know again is in files.
"""

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from rewardlab import Ask, Context, Reply, Sample
from rewardlab.errors import RewardlabError
from rewardlab.training import (
    GROUP_CLOCK,
    CallThread,
    GroupClock,
    Judges,
    JudgingSettings,
    LoopThread,
    Plan,
    ScoredGroup,
    open_judges,
    require_secrets,
)

from rewardlab_openrlhf.messages import GroupPlace, RolloutPrompt
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.policy_judge_spec import POLICY_JUDGE
from rewardlab_openrlhf.scoring.policy_judge import Engines
from rewardlab_openrlhf.scoring.reading_order import Prompts, ReadingOrder
from rewardlab_openrlhf.scoring.recorder import Recorder
from rewardlab_openrlhf.scoring.service_settings import ServiceSettings
from rewardlab_openrlhf.scoring.training_steps import ReleaseOrder
from rewardlab_openrlhf.user_lines import say


class Coordinator:
    """The coordinator of an rl stage, which opens judges and files at its first call.

    Where they cannot be opened, every call raises the same UserError or JobError. Files are written in a thread, one
    group after the other: nothing here holds the event loop.
    """

    def __init__(self, settings: ServiceSettings):
        self._settings = settings
        self._engines = Engines()
        self._opening: asyncio.Future[_CoordinatorParts] | None = None
        self._groups: dict[str, tuple[_ClockedGroup, GroupClock]] = {}
        self._failure = settings.read_failure()

    async def ready(self) -> None:
        """Return once judges and files are open. UserError or JobError: a judge, a key or a file."""
        await self._parts()

    async def rollout_prompt(self, label: str) -> RolloutPrompt:
        """Return the prompt that a row of OpenRLHF stands for; the same row always stands for the same prompt.

        JobError where there is none.
        """
        parts = await self._parts()
        return await parts.thread.call(parts.reading_order.rollout_prompt, label)

    async def ask(self, judge: str, ask: Ask, group: str = "", complete: bool = False, sample: str = "") -> Reply:
        """Return the judge's reply to a question about the group with key `group`, of `sample`.

        complete: whether all completions of the group are there, which starts its `group_timeout`. A JobError where a
        judge must end the job.
        """
        parts = await self._parts()
        token = GROUP_CLOCK.set(self._clock(group, complete, sample))
        try:
            reply = await parts.judges[judge].ask(ask)
        finally:
            GROUP_CLOCK.reset(token)
        parts.judges.check()
        return reply

    async def understood(self, judge: str, reply: Reply, ok: bool) -> None:
        """Note whether a reply could be read; call it once for each reply, at least for a judge's first ones."""
        parts = await self._parts()
        parts.judges[judge].understood(reply, ok)

    async def record(self, place: GroupPlace, scored: ScoredGroup) -> None:
        """Return once the group is in the ledger; a key is written once. A JobError where the job must end."""
        self._groups.pop(place.key, None)
        parts = await self._parts()
        recorded = await parts.thread.call(parts.recorder.record, place, scored)
        if parts.release_order is not None and recorded is not None and recorded.trains:
            parts.release_order.add(place.key, recorded.step)
        parts.judges.check()

    async def may_go(self, key: str, seconds: float) -> bool:
        """Return whether a recorded group may be handed to OpenRLHF; False, after `seconds`, is to ask again."""
        release_order = (await self._parts()).release_order
        return release_order is None or await release_order.may_go(key, seconds)

    async def claim_evaluation(self) -> RolloutPrompt | None:
        """Return a prompt to evaluate on before the first step, which nobody else gets; None once all are given out."""
        parts = await self._parts()
        if not parts.rows_before_training:
            return None
        return await parts.thread.call(parts.reading_order.prompt_before_training, parts.rows_before_training.pop())

    async def received(self, key: str) -> None:
        """Note that OpenRLHF has received a group."""
        release_order = (await self._parts()).release_order
        if release_order is not None:
            release_order.received(key)

    async def engine_here(self, handle: Any) -> None:
        """Note the actor handle of a rollout engine that policy/self may ask."""
        self._engines.add(handle)

    async def fail(self, message: str) -> None:
        """Note why the job has to end; the first reason counts."""
        if self._failure is None:
            self._failure = message
            await asyncio.to_thread(self._settings.write_failure, message)

    async def failure(self) -> str | None:
        """Return the first reason why the job has to end; None where there is none."""
        return self._failure

    async def waiting(self) -> None:
        """Return at once: an answer says that this process is in reach."""

    async def close(self) -> list[str]:
        """Close judges and files; return a line for each judge that was asked. A further call returns the same."""
        if self._opening is None:
            return []
        try:
            parts = await self._parts()
        except RewardlabError:  # nothing is open, as every other call says
            return []
        return await asyncio.to_thread(parts.close)

    async def _parts(self) -> "_CoordinatorParts":
        if self._opening is None:
            self._opening = asyncio.ensure_future(asyncio.to_thread(_open, self._settings, self._engines))
        return await asyncio.shield(self._opening)

    def _clock(self, key: str, complete: bool, sample: str) -> GroupClock | None:
        if not key:
            return None
        if key not in self._groups:
            group = _ClockedGroup(Sample(id=sample))
            self._groups[key] = group, GroupClock(group)
        group, clock = self._groups[key]
        group.complete |= complete
        return clock


@dataclass
class _ClockedGroup:
    """A group as its clock needs it; its completions are elsewhere."""

    sample: Sample
    complete: bool = False


@dataclass(frozen=True, kw_only=True)
class _CoordinatorParts:
    """The open parts of a coordinator."""

    judges: Judges
    reading_order: ReadingOrder
    recorder: Recorder
    release_order: ReleaseOrder | None
    """where OpenRLHF receives the groups of several steps at once"""
    rows_before_training: list[int]
    """to evaluate on before the first step; nobody has claimed them"""
    thread: CallThread
    """for `reading_order` and `recorder`"""
    closing: ExitStack

    def close(self) -> list[str]:
        """Close all parts and return the judges' lines; a further call returns them again."""
        self.closing.close()
        return self.judges.summary()


def _open(settings: ServiceSettings, engines: Engines) -> _CoordinatorParts:
    plan = settings.plan()
    prompts = Prompts.read(settings.folder)
    stage = settings.stage_of(plan)
    with ExitStack() as closing:
        home = LoopThread("rewardlab-coordinator-judges")
        closing.callback(home.close)
        judges = _judges(settings, plan, home, engines)
        closing.callback(judges.close)
        engine, journal = options_of(plan).engine, settings.journal("turns")
        ahead = engine.generates_ahead(stage.batch_size)
        by_position = not ahead and engine.dynamic_filtering is None
        reading_order = ReadingOrder(prompts, stage.batch_size, journal, settings.consumed, by_position)
        closing.callback(reading_order.close)
        recorder = Recorder(settings, plan, prompts, judges.usage)
        closing.callback(recorder.close)
        thread = CallThread("rewardlab-coordinator-files")
        closing.callback(thread.close)
        return _CoordinatorParts(
            judges=judges,
            reading_order=reading_order,
            recorder=recorder,
            release_order=ReleaseOrder(stage.batch_size, *recorder.training_steps.open) if ahead else None,
            rows_before_training=recorder.rows_before_training()[::-1],
            thread=thread,
            closing=closing.pop_all(),
        )


def _judges(settings: ServiceSettings, plan: Plan, home: LoopThread, engines: Engines) -> Judges:
    """Open all judges that are not local; the policy's own answers are not kept, because its weights change."""
    require_secrets(plan, plan.asked_by_rewards)
    hosted = {name: planned for name, planned in plan.judges.items() if not planned.spec.local}
    policies = {name: planned for name, planned in hosted.items() if planned.spec is POLICY_JUDGE}
    others = {name: planned for name, planned in hosted.items() if name not in policies}
    context = Context(seed=plan.recipe.seed, policy=engines)
    judging = JudgingSettings(stop_on_unparsable=True, say=say)
    kept = open_judges(others, home, context, replace(judging, folder=settings.run / "judges"))
    fresh = open_judges(policies, home, context, judging)
    return Judges({**kept, **fresh}, home)
