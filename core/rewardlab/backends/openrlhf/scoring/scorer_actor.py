"""An actor that scores groups: completions as they come, then the rewards of the whole group.

A plain class; `service` makes it a Ray actor. One that Ray restarts knows of no group: whoever asked puts them again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from rewardlab.backends.openrlhf.job.rows import Row
from rewardlab.backends.openrlhf.scoring.job_desk import JobDesk
from rewardlab.backends.openrlhf.scoring.messages import Place, Rewards
from rewardlab.backends.openrlhf.scoring.remote_judges import ASKING, Asking, RemoteJudges
from rewardlab.backends.openrlhf.scoring.rewards import rewards
from rewardlab.backends.openrlhf.scoring.service_settings import ServiceSettings
from rewardlab.backends.openrlhf.scoring.turns import Prompts
from rewardlab.errors import JobError, RewardlabError
from rewardlab.plan import Plan
from rewardlab.pool import Pool
from rewardlab.scoring import Machine, Scorer
from rewardlab.types import Completion

T = TypeVar("T")
REMEMBERED = 1000
"""groups that are over, with rewards of up to 20 kB each; what comes late for one of them is not taken for a new one"""


class ScorerActor:
    """Opened at its first call; what cannot be opened is the UserError or JobError of every call."""

    def __init__(self, settings: ServiceSettings, device: str = "cpu", desk: JobDesk | None = None):
        """device: for rewards that hold a model. desk: the job's, where it is another than its name says."""
        self._settings = settings
        self._device = device
        self._desk = desk or JobDesk(settings.job)
        self._opening: asyncio.Future[_Opened] | None = None
        self._groups: dict[str, _Group] = {}
        self._over: OrderedDict[str, Rewards | None] = OrderedDict()

    async def ready(self, warm: bool = False) -> None:
        """Returns once it is open. UserError or JobError: a reward that cannot be built. warm: start workers now."""
        opened = await self._opened()
        if warm:
            await asyncio.to_thread(opened.scorer.warm)

    async def put(self, place: Place, index: int, completion: Completion) -> None:
        """Completion `index` of a group is there; scoring begins. The same again is ignored."""
        opened = await self._opened()
        if place.key in self._over:
            return
        group = self._groups.get(place.key)
        if group is None:
            group = self._groups[place.key] = opened.group(place)
        if index not in group.put:
            group.put.add(index)
            group.asking.complete = len(group.put) >= place.size
            with group.asked_about():
                group.pool.put(index, completion)

    async def more(self, key: str, count: int) -> int | None:
        """How many further completions the group sampler wants, once all that were put are known; 0 without one.

        count: completions that were put. None where they are not all known here, as this actor was restarted.
        """
        if key not in self._over and (key not in self._groups or len(self._groups[key].put) < count):
            return None
        group = self._group(key)
        with group.asked_about():
            return await self._told(group.pool.more())

    async def finish(self, key: str) -> Rewards:
        """The rewards, recorded at the desk; the group is forgotten, and its rewards are kept for a while.

        JobError where the job must end.
        """
        if (given := self._over.get(key)) is not None:  # its answer was lost on the way, and is asked for again
            return given
        group = self._group(key)
        opened = await self._opened()
        try:
            with group.asked_about():
                pooled = await self._told(group.pool.scored())
            given = rewards(pooled.group, pooled.kept, opened.correctness, len(group.put))
            await self._desk.call("record", group.place, pooled.group)
        finally:
            self._forget(key, given)
        return given

    async def drop(self, key: str) -> None:
        """The group will not be completed: what is under way is cancelled."""
        group = self._groups.get(key)
        self._forget(key)
        if group is not None:
            group.pool.drop()

    async def close(self) -> None:
        """End worker processes and threads; idempotent."""
        if self._opening is None:
            return
        try:
            opened = await self._opened()
        except RewardlabError:  # nothing is open, as every other call says
            return
        await asyncio.to_thread(opened.scorer.close)

    async def _told(self, work: Awaitable[T]) -> T:
        """What `work` returns; why a judge must end the job comes before what follows from it."""
        opened = await self._opened()
        try:
            found = await work
        except JobError:
            opened.judges.check()
            raise
        opened.judges.check()
        return found

    def _group(self, key: str) -> "_Group":
        try:
            return self._groups[key]
        except KeyError:
            raise JobError(f"nobody has put a completion of group {key!r} here, or it is over") from None

    def _forget(self, key: str, given: Rewards | None = None) -> None:
        self._groups.pop(key, None)
        self._over[key] = given
        if len(self._over) > REMEMBERED:
            self._over.popitem(last=False)

    async def _opened(self) -> "_Opened":
        if self._opening is None:
            opening = asyncio.to_thread(_open, self._settings, self._device, self._desk)
            self._opening = asyncio.ensure_future(opening)
        return await asyncio.shield(self._opening)


@dataclass(kw_only=True)
class _Group:
    place: Place
    pool: Pool
    asking: Asking
    put: set[int] = field(default_factory=set)

    @contextmanager
    def asked_about(self) -> Iterator[None]:
        """What starts inside asks judges about this group."""
        token = ASKING.set(self.asking)
        try:
            yield
        finally:
            ASKING.reset(token)


@dataclass(frozen=True, kw_only=True)
class _Opened:
    plan: Plan
    scorer: Scorer
    judges: RemoteJudges
    prompts: Prompts

    @property
    def correctness(self) -> str | None:
        """The component that says whether an answer is right."""
        assert self.plan.recipe.reward is not None
        return self.plan.recipe.reward.correctness

    def group(self, place: Place) -> _Group:
        """A group that has no completion yet."""
        row = self._row(place)
        asking = Asking(key=place.key, sample=row.sample.id)
        token = ASKING.set(asking)  # rewards may begin to listen, and ask, from the start
        try:
            pool = self.scorer.collect(
                row.sample,
                place.size,
                timeout=self.plan.recipe.backend.engine.barrier.scoring_timeout,
                zero_truncated=False if place.evaluation else None,
                sampled=not place.evaluation,
            )
        finally:
            ASKING.reset(token)
        return _Group(place=place, pool=pool, asking=asking)

    def _row(self, place: Place) -> Row:
        rows = self.prompts.evaluation if place.evaluation else self.prompts.training
        return rows[place.row]


def _open(settings: ServiceSettings, device: str, desk: JobDesk) -> _Opened:
    plan = settings.plan()
    stage = settings.stage_of(plan)
    judges = RemoteJudges(plan.judges, desk)
    zero = stage.on_truncated == "zero"
    scorer = Scorer(plan, Machine(device=device), zero_truncated=zero, judges=judges)
    return _Opened(plan=plan, scorer=scorer, judges=judges, prompts=Prompts.read(settings.folder))
