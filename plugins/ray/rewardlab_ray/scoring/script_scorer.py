"""The actor that scores for a script of an engine's own: one for the whole job and all of its processes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rewardlab import Completion, Sample, ScoredGroup
from rewardlab.concurrency import CallThread
from rewardlab.errors import JobError
from rewardlab.files import last_row
from rewardlab.judging import JudgingSettings
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import MissingGuard, Pool, Scorer
from rewardlab.training import Ledger, Phase

from rewardlab_ray.messages import SCORED, GroupPlace, GroupRewards, MemberReward
from rewardlab_ray.scoring.group_members import GroupMembers
from rewardlab_ray.scoring.rewards import rewards
from rewardlab_ray.user_lines import say


@dataclass(frozen=True, kw_only=True)
class ScriptSettings:
    """What a script says of its rewards; timeouts in seconds."""

    recipe: Path
    folder: Path
    completion_timeout: float
    scoring_timeout: float
    on_partial: Literal["fail", "score"]


class ScriptScorer:
    """The scorer of a script's groups, and the one writer of its ledger; the engine's plugin makes it an actor.

    validation: makes the function that tells whether the engine has a group, by its name, under its validation.
    """

    def __init__(self, settings: ScriptSettings, validation: Callable[[], Callable[[str], Awaitable[bool]]]) -> None:
        self._settings = settings
        self._samples: dict[str, Sample] = {}
        self._places: dict[str, GroupPlace] = {}
        self._pools: dict[str, Pool] = {}
        self._failure: str | None = None
        self._members = GroupMembers(self, settings.completion_timeout, settings.on_partial, self._fail)
        self._is_validation = validation()
        plan = make_plan(load(settings.recipe, []), purpose="score")
        settings.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            judging = JudgingSettings(folder=settings.folder / "judges", stop_on_unparsable=True, say=say)
            self._scorer = Scorer(plan, judging=judging)
            opened.callback(self._scorer.close)
            path = settings.folder / "ledger.jsonl"
            last = last_row(path) if path.exists() else None
            self._ledger = Ledger(path, 0 if last is None else last["attempt"] + 1)
            opened.callback(self._ledger.close)
            self._files = CallThread("rewardlab-ledger")
            opened.callback(self._files.close)
            self._closing = opened.pop_all()
        self._guard = MissingGuard.over_rows(plan.uses_in_total)

    async def member(
        self, uid: str, index: int, step: int, sizes: Sequence[int], sample: Sample, completion: Completion
    ) -> MemberReward:
        """Return the shaped reward of member `index` of group `uid`; JobError if it has none.

        sizes: of groups of the training and of the validation. step: of the training, from 1.
        """
        if self._failure is not None:
            raise JobError(self._failure)
        place = self._places.get(uid)
        if place is None:
            evaluation = await self._is_validation(uid)
            # made anew: a sibling may have come while this one waited
            made = GroupPlace(key=uid, row=0, evaluation=evaluation, step=step, size=sizes[evaluation])
            place = self._places.setdefault(uid, made)
            self._samples.setdefault(uid, sample)
        reward = await self._members.reward(place, index, completion)
        assert reward is not None
        if not reward.logs[SCORED]:
            raise JobError(f"completion {index} of {uid} has no reward, so it is left out of its group")
        return reward

    async def put(self, place: GroupPlace, index: int, completion: Completion) -> None:
        """Add a completion to its group and begin to score it."""
        pool = self._pools.get(place.key) or self._open_pool(place)
        pool.put(index, completion)

    async def shrink(self, place: GroupPlace) -> None:
        """Begin a group anew as one of this size."""
        await self.drop(place.key)
        self._open_pool(place)

    async def finish(self, key: str, count: int = 0) -> GroupRewards:
        """Return the group's shaped rewards, once they are in the ledger."""
        pooled = await self._pools.pop(key).scored()
        group = pooled.group
        given = rewards(group, pooled.kept, None, count)
        await self._files.call(self._record, self._places.pop(key), group)
        del self._samples[key]
        self._guard.count(group)
        self._guard.check()
        return GroupRewards(
            kept=given.kept, values=tuple(map(float, group.shaped)), lost=0.0, correctness=None, logs=given.logs
        )

    async def drop(self, key: str) -> None:
        """Give a group up."""
        if (pool := self._pools.pop(key, None)) is not None:
            pool.drop()

    async def close(self) -> None:
        """Close judges and files; calling it again does nothing."""
        await asyncio.to_thread(self._closing.close)

    def _open_pool(self, place: GroupPlace) -> Pool:
        timeout = self._settings.scoring_timeout
        made = self._pools[place.key] = self._scorer.collect(self._samples[place.key], place.size, timeout=timeout)
        return made

    def _record(self, place: GroupPlace, group: ScoredGroup) -> None:
        phase: Phase = "during" if place.evaluation else "training"
        self._ledger.write(0, place.step, [group], "no" if place.evaluation else "unknown", phase)

    async def _fail(self, message: str) -> None:
        """Note why no further completion gets a reward: verl's trainer ends once a step has none."""
        if self._failure is None:
            self._failure = message
            say(f"error: {message}")
