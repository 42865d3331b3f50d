"""`--on ray`: a command's groups are scored by hosts on a Ray cluster."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from rewardlab import Group, GroupStream
from rewardlab.errors import UserError
from rewardlab.judging import JudgingSettings, Usage
from rewardlab.plan import Plan
from rewardlab.scoring import Machine, OpenScorer, Scorer

from rewardlab_shards.actor_pool import ActorPool
from rewardlab_shards.elsewhere import ScorerElsewhere, Scores
from rewardlab_shards.ray_address import RayAddress
from rewardlab_shards.ray_hosts import HostWork, open_pool

PART = 16
"""groups of a part, which one call scores"""
CALLS = 16
"""calls that a host has at the same time: as many groups as one process has under way"""


class Scoring:
    """The scoring of groups in a host: an open `Scorer`."""

    def __init__(self, plan: Plan, judging: JudgingSettings) -> None:
        self._names = list(plan.components)
        self._scorer = Scorer(plan, judging=judging)
        try:
            self._scorer.warm()
        except BaseException:
            self._scorer.close()
            raise

    async def results(self, items: Sequence[Group]) -> Sequence[Scores]:
        """Return each component's scores of these groups. JobError: what must end the job."""
        streams = (GroupStream.of(group) for group in items)
        scorer, names = self._scorer, self._names
        return await asyncio.gather(*(scorer.home.here(scorer.scores_of(stream, names, None)) for stream in streams))

    def usage(self) -> Mapping[str, Usage]:
        """Return what each judge was asked in this process."""
        return self._scorer.judges.attempt_usage()

    def close(self) -> None:
        """Close the reward, so that judges' usage is written."""
        self._scorer.close()


class ScoringPool(ActorPool[Group, Scores]):
    """Hosts that score groups, a `ScoreSource`."""

    async def scores(self, group: Group) -> Scores:
        """Return the components' scores of a group; always from the same event loop."""
        return await self.result(group)


def open_on(address: str) -> OpenScorer:
    """Return what opens a scorer on the cluster at an address."""
    wanted = RayAddress.parse(address)

    def opened(
        plan: Plan, _machine: Machine | None = None, judging: JudgingSettings | None = None, asked: Sequence[str] = ()
    ) -> Scorer:
        if both := sorted(plan.asked_by_rewards.intersection(asked)):
            problem = f"the reward asks the policy {both[0]!r}, whose limits hosts and this process would both use up"
            raise UserError(f"{problem}; leave --on out", where="--on")
        of_hosts = replace(plan, judges={name: judge for name, judge in plan.judges.items() if name not in asked})
        settings = judging or JudgingSettings()
        work = HostWork(opens=Scoring, plan=of_hosts, asked=of_hosts.asked_by_rewards)
        pool = open_pool(work, wanted, settings, partial(ScoringPool, name=_place, part=PART, calls=CALLS))
        settings.say(f"scores on {pool.hosts} {'host' if pool.hosts == 1 else 'hosts'} of Ray")
        return ScorerElsewhere(plan, pool, asked, judging)

    return opened


def _place(group: Group) -> str:
    return group.sample.place()
