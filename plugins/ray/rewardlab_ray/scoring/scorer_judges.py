"""The judges of a job as one of its scorers asks them: limits on loan from the coordinator, replies kept by owners."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rewardlab import Context
from rewardlab.concurrency import LoopThread
from rewardlab.errors import JobError
from rewardlab.judging import Judges, JudgingSettings, open_judges, require_secrets
from rewardlab.plan import Component, Plan
from rewardlab_leases import JudgeShare, LeaseGrant, LeaseReport, ReplyLine, ReplyOwner, shared_judges

from rewardlab_ray.ray_actors import ActorClient
from rewardlab_ray.scoring.policy_judge import Engines
from rewardlab_ray.scoring.policy_judge_spec import POLICY_JUDGE
from rewardlab_ray.scoring.service_settings import ServiceSettings
from rewardlab_ray.user_lines import say

Claims = list[tuple[str, str]]
"""(judge, key) of questions that a scorer asks"""
COORDINATOR = -1
"""the number of the coordinator among the owners of replies"""


def kept_by_scorers(plan: Plan) -> dict[str, Component]:
    """Return the judges whose replies belong to the scorers. The policy's are not kept: its weights change."""
    return {name: one for name, one in _kept(plan).items() if one.use.cassette is None}


def kept_by_coordinator(plan: Plan) -> dict[str, Component]:
    """Return the judges whose replies belong to the coordinator: they have a cassette, which is one file."""
    return {name: one for name, one in _kept(plan).items() if one.use.cassette is not None}


def _kept(plan: Plan) -> dict[str, Component]:
    return {name: one for name, one in shared_judges(plan).items() if one.spec is not POLICY_JUDGE}


class ScorerJudges:
    """The judges of scorer `number`, with its part of their replies; on the event loop of `home`.

    Open it in another thread. coordinator, scorers: clients of the job's actors; of this scorer none is used.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        plan: Plan,
        home: LoopThread,
        number: int,
        coordinator: ActorClient,
        scorers: Sequence[ActorClient],
    ) -> None:
        """Open files and judges. UserError or JobError: a judge, a key or a file."""
        require_secrets(plan, plan.asked_by_rewards)
        self._home = home
        self._number = number
        self._process = uuid.uuid4().hex
        self._coordinator = coordinator
        self._scorers = scorers
        self._processes: dict[int, str] = {}
        self._engines = Engines(self._lost_engine)
        self._engines_known: Any = None
        self._telling: set[asyncio.Task[Any]] = set()
        kept = kept_by_scorers(plan)
        self._owner = ReplyOwner.open(kept, settings.run / "judges", number, len(scorers))
        self._to_scorers = [self._line(one, scorer) for one, scorer in enumerate(scorers)]
        self._to_coordinator = ReplyLine(partial(coordinator.call, "answer_claims", self.asker))
        owners: dict[str, list[ReplyLine]] = dict.fromkeys(kept, self._to_scorers)
        owners |= {name: [self._to_coordinator] for name in kept_by_coordinator(plan)}
        self._share = JudgeShare(self._lease, owners)
        context = Context(seed=plan.recipe.seed, policy=self._engines)
        judging = JudgingSettings(stop_on_unparsable=True, sharing=self._share, say=say)
        try:
            self.judges: Judges = open_judges(shared_judges(plan), home, context, judging)
        except BaseException:
            self._owner.close()
            raise

    @property
    def asker(self) -> tuple[int, str]:
        """This process, as owners of replies and the coordinator know it."""
        return self._number, self._process

    def start(self, restarted: bool) -> None:
        """Begin to borrow. restarted: whether other scorers may know this one, or be asking what it owns."""
        if restarted:
            self._home.run(self._recover())
        self._home.run(self._share.start(self.judges))

    async def report(self) -> None:
        """Tell the coordinator what was asked since the last report."""
        await self._home.here(self._share.report())

    async def answer_claims(self, asker: tuple[int, str], messages: Sequence[Any]) -> list[Any]:
        """Return the answers of this owner to another scorer's messages."""
        return await self._home.here(self._answer(asker, messages))

    async def claims(self, owner: int, process: str = "") -> tuple[tuple[int, str], Claims]:
        """Return this process, and what it asks whose replies belong to an owner that has just been restarted.

        process: of that owner, if it is a scorer: what its earlier processes have claimed here is free.
        """
        return await self._home.here(self._claims(owner, process))

    def close(self) -> None:
        """Give back what is on loan and close judges and files; calling it again does nothing."""
        try:
            self._home.run(self._share.close())
        finally:
            self.judges.close()
            self._owner.close()

    def _line(self, number: int, scorer: ActorClient) -> ReplyLine:
        if number == self._number:
            return ReplyLine(partial(self._answer, self.asker), together=None)
        return ReplyLine(partial(scorer.call, "answer_claims", self.asker))

    async def _answer(self, asker: tuple[int, str], messages: Sequence[Any]) -> list[Any]:
        return self._owner.answer(asker, messages)

    async def _claims(self, owner: int, process: str) -> tuple[tuple[int, str], Claims]:
        if owner == COORDINATOR:
            return self.asker, self._to_coordinator.restarted()
        self._processes[owner] = process
        self._owner.free(owner, process)
        return self.asker, self._to_scorers[owner].restarted()

    async def _recover(self) -> None:
        """Take over from this scorer's earlier process: other scorers' claims are known, its own are free."""
        others = [scorer for number, scorer in enumerate(self._scorers) if number != self._number]
        for asker, claims in await asyncio.gather(*(self._claims_of(one) for one in others)):
            if claims and self._processes.get(asker[0], asker[1]) == asker[1]:
                self._owner.adopt(asker, claims)

    async def _claims_of(self, scorer: ActorClient) -> tuple[tuple[int, str], Claims]:
        try:
            return await scorer.call("claims", self._number, self._process)
        except JobError:  # dead for good: it asks nothing any more
            return (COORDINATOR, ""), []

    async def _lease(self, reports: dict[str, LeaseReport]) -> Mapping[str, LeaseGrant]:
        grants, engines = await self._coordinator.call("lease", self.asker, reports, self._engines_known)
        if engines is not None:
            self._engines_known, handles = engines
            self._engines.replace(handles)
        return grants

    def _lost_engine(self, engine: Any) -> None:
        telling = asyncio.ensure_future(self._coordinator.call("engine_lost", engine))
        self._telling.add(telling)  # the loop alone would not keep it alive
        telling.add_done_callback(self._telling.discard)
