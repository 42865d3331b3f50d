"""The actor that scores for a script of an engine's own: one for the whole job and all of its processes."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from rewardlab import Completion, Sample, ScoredGroup
from rewardlab.concurrency import CallThread
from rewardlab.errors import JobError, UserError
from rewardlab.files import FileLock, cut_torn_line
from rewardlab.judging import JudgingSettings
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import (
    MetGroup,
    MissingGuard,
    MissingMembersError,
    OnPartial,
    OtherMemberError,
    Scorer,
    ScoringHost,
    as_trainers_get_it,
)
from rewardlab_training import Ledger, Phase, last_row

from rewardlab_ray.messages import SCORED, GroupRewards, MemberReward
from rewardlab_ray.scoring.rewards import rewards
from rewardlab_ray.user_lines import say

KNOWN = 100_000
"""groups that are over, by whose names a late member is known"""


@dataclass(frozen=True, kw_only=True)
class ScriptSettings:
    """Settings of a script's rewards; timeouts in seconds."""

    recipe: Path
    folder: Path
    completion_timeout: float
    scoring_timeout: float
    on_partial: OnPartial


@dataclass(frozen=True, kw_only=True, slots=True)
class _ScriptPlace:
    """A group of a script: its prompt, the step of the training, and its size."""

    key: str
    sample: Sample
    evaluation: bool
    step: int
    size: int


class ScriptScorer:
    """The scorer of a script's groups, and the one writer of its ledger; the engine's plugin makes it an actor.

    validation: makes the function that tells whether the engine has a group, by its name, under its validation.
    """

    def __init__(self, settings: ScriptSettings, validation: Callable[[], Callable[[str], Awaitable[bool]]]) -> None:
        self._settings = settings
        self._places: dict[str, _ScriptPlace] = {}
        self._over: OrderedDict[str, None] = OrderedDict()  # the oldest first
        self._failure: str | None = None
        self._is_validation = validation()
        plan = make_plan(load(settings.recipe, []), purpose="score")
        settings.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            opened.callback(_locked(settings.folder).close)
            judging = JudgingSettings(folder=settings.folder / "judges", stop_on_unparsable=True, say=say)
            self._scorer = Scorer(plan, judging=judging)
            opened.callback(self._scorer.close)
            path = settings.folder / "ledger.jsonl"
            cut_torn_line(path)  # else it would hide which attempt wrote last
            last = last_row(path)
            self._ledger = Ledger(path, 0 if last is None else last["attempt"] + 1)
            opened.callback(self._ledger.close)
            self._files = CallThread("rewardlab-ledger")
            opened.callback(self._files.close)
            self._closing = opened.pop_all()
        self._guard = MissingGuard.over_rows(plan.guarded_uses)
        self._validation_guard = MissingGuard.over_rows(plan.uses_in_total)
        self._host: ScoringHost[_ScriptPlace, GroupRewards] = ScoringHost(
            open_pool=lambda place, size: self._scorer.collect(
                place.sample, size, timeout=settings.scoring_timeout, evaluation=place.evaluation
            ),
            finish=self._finished,
            deadline=settings.completion_timeout,
            on_partial=settings.on_partial,
            scoring=settings.scoring_timeout,
        )

    async def member(
        self, uid: str, index: int, step: int, sizes: Sequence[int], sample: Sample, completion: Completion
    ) -> MemberReward:
        """Return the shaped reward of member `index` of group `uid`; JobError if it has none.

        Args:
            sizes: of groups of the training and of the validation.
            step: of the training, from 1.
        """
        if self._failure is not None:
            raise JobError(self._failure)
        place = await self._place(uid, step, sizes, sample)
        try:
            if place is not None:
                self._host.put(place, index, completion)
            elif self._host.lacks(uid, 1):
                raise OtherMemberError(f"completion {index} of {uid} came long after the others had been scored")
            reward = (await self._host.group(uid)).of_member(index)
        except OtherMemberError:
            raise
        except Exception as error:  # whatever it is, the job ends, and has to know why
            self._fail(f"{uid}: {error}" if isinstance(error, MissingMembersError) else str(error))
            raise
        if not reward.logs[SCORED]:
            raise JobError(f"completion {index} of {uid} has no reward, so it is left out of its group")
        return reward

    async def _place(self, uid: str, step: int, sizes: Sequence[int], sample: Sample) -> _ScriptPlace | None:
        """Return the place of a group, which its first member makes; None once the group is over."""
        if uid not in self._places and uid not in self._over:
            evaluation = await self._is_validation(uid)
            if uid not in self._over:  # a sibling may have come while this one waited
                made = _ScriptPlace(key=uid, sample=sample, evaluation=evaluation, step=step, size=sizes[evaluation])
                self._places.setdefault(uid, made)
        return self._places.get(uid)

    async def _finished(self, place: "_ScriptPlace", met: MetGroup) -> GroupRewards:
        """Return the group's shaped rewards, once they are in the ledger."""
        group = met.pooled.group
        given = rewards(group, met.pooled.kept, None, met.sampled, teaching=self._scorer.teaching)
        await self._files.call(self._record, place, group)
        del self._places[place.key]
        self._over[place.key] = None
        if len(self._over) > KNOWN:
            self._over.popitem(last=False)
        (self._validation_guard if place.evaluation else self._guard).add(group)
        values = tuple(map(float, _as_engines_get_it(group)))
        return replace(given, values=values, lost=0.0, members=met.members)

    async def close(self) -> None:
        """Close judges and files; calling it again does nothing."""
        await asyncio.to_thread(self._closing.close)

    def _record(self, place: "_ScriptPlace", group: ScoredGroup) -> None:
        phase: Phase = "during" if place.evaluation else "training"
        trained = "unknown" if not place.evaluation and group.left_out is None else "no"
        self._ledger.write(0, place.step, [group], trained, phase)

    def _fail(self, message: str) -> None:
        """Note why no further completion gets a reward: verl's trainer ends once a step has none."""
        if self._failure is None:
            self._failure = message
            say(f"error: {message}")


def _locked(folder: Path) -> FileLock:
    """Lock a folder, so that no other script writes its ledger; raise UserError if one does."""
    try:
        return FileLock(folder / "lock")
    except BlockingIOError:
        problem = "another script is writing the ledger here; give each a folder of its own"
        error = UserError(problem, where=f"reward.reward_kwargs.ledger={folder}")
        say(f"error: {error}")  # callers are told no more than that the actor is dead
        raise error from None


def _as_engines_get_it(group: ScoredGroup) -> Sequence[float]:
    """Return the rewards of a training. The only one with a total of a group left out has 0, as it has no baseline."""
    if group.left_out is not None and len(group.totals) - group.totals.count(None) == 1:
        return [0.0] * len(group.totals)
    return as_trainers_get_it(group).shaped
