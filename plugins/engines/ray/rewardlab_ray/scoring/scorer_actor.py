"""An actor that scores groups: completions as they come, then the rewards of the whole group.

A plain class; `service` makes it a Ray actor. One that Ray restarts knows of no group: the callers put theirs again.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TypeVar

from rewardlab import Completion
from rewardlab.errors import JobError, RewardlabError, one_line
from rewardlab.judging import Judges, JudgingSettings, Share, Usage
from rewardlab.plan import Plan
from rewardlab.scoring import (
    Machine,
    MetGroup,
    MissingMembersError,
    OtherMemberError,
    Pool,
    ScoredGroup,
    Scorer,
    ScoringHost,
    Teaching,
)
from rewardlab_training import ledger_lines, numbers_of_group

from rewardlab_ray.messages import FinishedGroup, GroupPlace, GroupRewards, MemberReward
from rewardlab_ray.ray_actors import ActorClient, JobActor, coordinator_name
from rewardlab_ray.scoring.policy_judge import Engines
from rewardlab_ray.scoring.reading_order import Prompts
from rewardlab_ray.scoring.rewards import rewards
from rewardlab_ray.scoring.service_settings import ServiceSettings
from rewardlab_ray.user_lines import say

T = TypeVar("T")


class ScorerActor:
    """A scorer of groups, which opens the reward at its first call.

    Where it cannot be opened, every call raises the same UserError or JobError.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        device: str = "cpu",
        number: int = 0,
        coordinator: ActorClient | None = None,
    ) -> None:
        """Open nothing yet.

        Args:
            device: for rewards that hold a model.
            number: of this scorer, from 0; its share of the judges goes by it.
            coordinator: a client of the job's coordinator (default: by its name).
        """
        self._settings = settings
        self._device = device
        self._number = number
        self._coordinator = coordinator or JobActor(coordinator_name(settings.job))
        self._opening: asyncio.Future[_ScorerParts] | None = None

    async def ready(self, warm: bool = False) -> None:
        """Return once the reward is open. UserError or JobError if it cannot be built. warm: start workers now."""
        parts = await self._parts()
        if warm:
            await asyncio.to_thread(parts.scorer.warm)

    async def put(self, place: GroupPlace, index: int, completion: Completion) -> None:
        """Add completion `index` to a group and begin to score it; the same completion again is ignored."""
        (await self._parts()).host.put(place, index, completion)

    async def member(
        self, place: GroupPlace, index: int, completion: Completion | None, why: str = ""
    ) -> MemberReward | None:
        """Return the reward of one member of a group, for engines that ask for each alone.

        Args:
            completion: None for one that is lost, which has no reward.
            why: the reason for the loss.

        JobError if the group cannot be scored, which ends the job.
        """
        try:
            parts = await self._parts()
            host = parts.host
            if parts.restarted and (earlier := await self._coordinator.call("recorded", place.key)) is not None:
                return None if completion is None else earlier.of_member(index)
            if completion is None:
                host.lost(place, index, why)
                if host.is_lost(place.key):  # nobody else asks for it
                    await host.group(place.key)
                return None
            host.put(place, index, completion)
            return (await self._unless_judges_stop(host.group(place.key))).of_member(index)
        except Exception as error:  # whatever it is, the job ends, and has to know why
            text = str(error) if isinstance(error, RewardlabError) else one_line(error)
            text = f"{place.prompt}: {text}" if isinstance(error, MissingMembersError | OtherMemberError) else text
            if not isinstance(error, OtherMemberError):
                await self._coordinator.call("fail", text)
            raise JobError(text) from error

    async def more(self, key: str, count: int) -> int | None:
        """Return how many further completions the group sampler wants; 0 without a sampler.

        Args:
            count: completions that were put. None if not all of them are known here, because this actor was restarted.
        """
        parts = await self._parts()
        return None if parts.host.lacks(key, count) else await self._unless_judges_stop(parts.host.more(key))

    async def finish(self, key: str, count: int = 0) -> GroupRewards | None:
        """Return the group's rewards, once the coordinator has it in the ledger.

        They are kept for a while, in case the answer is lost on the way. count, None: as in `more`. JobError if the job
        must end.
        """
        parts = await self._parts()
        return None if parts.host.lacks(key, count) else await self._unless_judges_stop(parts.host.group(key))

    async def _finished(self, place: GroupPlace, met: MetGroup) -> GroupRewards:
        """Return the rewards of a group that is scored, once it is recorded; if it was before, those of then."""
        parts = await self._parts()
        algorithm = None if place.evaluation else parts.algorithm
        pooled = met.pooled
        given = rewards(pooled.group, pooled.kept, parts.correctness, met.sampled, algorithm, parts.teaching)
        given = replace(given, members=met.members)
        group, asked = pooled.group, await parts.scorer.home.here(_saved_usage(parts.scorer.judges))
        self.scored(group, asked)
        place = replace(place, size=len(met.members), discarded=group.left_out is not None)
        finished = FinishedGroup(
            lines=ledger_lines(group),
            unchosen=() if pooled.discarded is None else ledger_lines(pooled.discarded),
            numbers=numbers_of_group(group, parts.correctness),
            rewards=given,
            scorer=self._number,
            asked=asked,
        )
        earlier: GroupRewards | None = await self._coordinator.call("record", place, finished)
        return earlier or given

    def scored(self, group: ScoredGroup, asked: Mapping[str, Usage]) -> None:
        """Do nothing with a scored group and the judges' counts; who counts for others does."""

    async def waiting(self) -> tuple[int, int]:
        """Return (how many groups are under way here, how many calls to the coordinator are)."""
        opened = self._opening is not None and self._opening.done() and self._opening.exception() is None
        return len((await self._parts()).host) if opened else 0, self._coordinator.waiting

    async def close(self) -> None:
        """Close the judges, and end worker processes and threads; calling it again does nothing."""
        if self._opening is None:
            return
        try:
            parts = await self._parts()
        except RewardlabError:  # nothing is open, as every other call says
            return
        await asyncio.to_thread(parts.close)

    async def _unless_judges_stop(self, work: Awaitable[T]) -> T:
        """Return what `work` returns; if a judge must end the job, raise that reason rather than its consequence."""
        parts = await self._parts()
        try:
            result = await work
        except JobError:
            parts.scorer.judges.check()
            raise
        parts.scorer.judges.check()
        return result

    async def _parts(self) -> "_ScorerParts":
        if self._opening is None:
            self._opening = asyncio.ensure_future(asyncio.to_thread(self._open))
        return await asyncio.shield(self._opening)

    def _open(self) -> "_ScorerParts":
        settings = self._settings
        plan = settings.plan()
        stage = settings.stage_of(plan)
        mark = settings.scorer_mark(self._number)
        restarted = mark.exists()
        with ExitStack() as opened:
            judging = JudgingSettings(
                folder=settings.run / "judges",
                stop_on_unparsable=True,
                say=say,
                share=Share(self._number + 1, settings.scorers),
            )
            zero, machine = stage.on_truncated == "zero", Machine(device=self._device)
            scorer = Scorer(plan, machine, zero, judging, policy=Engines(self._coordinator))
            opened.callback(scorer.close)
            pools = _Pools(settings, scorer, Prompts.read(settings.folder), stage.batch_size)
            mark.touch()
            return _ScorerParts(
                settings=settings,
                plan=plan,
                scorer=scorer,
                host=ScoringHost(
                    open_pool=pools.open,
                    finish=self._finished,
                    deadline=settings.completion_timeout,
                    on_partial=settings.on_partial,
                    scoring=settings.scoring_timeout,
                ),
                algorithm=stage.algorithm,
                restarted=restarted,
                closing=opened.pop_all(),
            )


@dataclass(frozen=True, kw_only=True)
class _ScorerParts:
    """The open parts of a scorer."""

    settings: ServiceSettings
    plan: Plan
    scorer: Scorer
    host: ScoringHost[GroupPlace, GroupRewards]
    algorithm: str
    restarted: bool
    """whether it follows one that died, which may have answered some members of a group and not the others"""
    closing: ExitStack

    @property
    def correctness(self) -> str | None:
        """The name of the component that decides whether an answer is right; None if the recipe names none."""
        assert self.plan.recipe.reward is not None
        return self.plan.recipe.reward.correctness

    @property
    def teaching(self) -> Teaching | None:
        """The choice of groups that teach; None if the engine replaces none."""
        return self.scorer.teaching if self.settings.replaces else None

    def close(self) -> None:
        """Close the judges, and end worker processes and threads."""
        self.closing.close()


@dataclass(frozen=True)
class _Pools:
    """The pools of a stage's groups."""

    settings: ServiceSettings
    scorer: Scorer
    prompts: Prompts
    batch_size: int

    def open(self, place: GroupPlace, size: int) -> Pool:
        """Return the pool of a group of this size, without a completion yet."""
        rows = self.prompts.evaluation if place.evaluation else self.prompts.training
        return self.scorer.collect(
            rows[place.row].sample,
            size,
            timeout=self.settings.scoring_timeout,
            progress=self._progress(place),
            evaluation=place.evaluation,
            sampled=not place.evaluation,
        )

    def _progress(self, place: GroupPlace) -> float | None:
        """Return the share of the stage's steps before the one for which the prompt is read; None if evaluated."""
        if place.position is None:
            return None
        if self.settings.says_trained and place.step is not None:  # positions begin again
            return (place.step - 1) * self.batch_size / len(self.prompts.order)
        return place.position // self.batch_size * self.batch_size / len(self.prompts.order)


async def _saved_usage(judges: Judges) -> dict[str, Usage]:
    """Write the counts of each judge that was asked, and return them; on the judges' loop. JobError: a full disk.

    Where judges are shared these are the counts of this part, those of a process before this one included.
    """
    for judge in judges.values():
        judge.save_usage()
    return {name: usage.minus(Usage()) for name, usage in judges.usage().items()}
