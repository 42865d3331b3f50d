"""What the pool of hosts makes of a death; a stand-in raises what Ray raises, so that no cluster is asked."""

import asyncio

import pytest
from rewardlab import Completion, Group, Sample, Score
from rewardlab.errors import JobError, UserError

exceptions = pytest.importorskip("ray.exceptions", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = pytest.mark.verl


class Method:
    def __init__(self, run):
        self.remote = run


class MortalHost:
    """A host that dies with its first calls; calls of it fail until it was asked `down` times whether it is ready."""

    def __init__(self, down=3, opens=True):
        self._alive, self._down, self._opens = True, down, opens
        self.scores, self.ready = Method(self._scores), Method(self._ready)

    async def _scores(self, groups):
        from rewardlab_shards.host_actor import PartScores

        first = self._alive
        if not first:
            self._refuse()
        await asyncio.sleep(0.01)  # all first calls have begun
        if first:
            self._alive = False
            raise exceptions.RayActorError
        return PartScores(scores=[{"length": [Score(value=1.0)]} for _ in groups])

    async def _ready(self):
        await asyncio.sleep(0.05)  # others may ask for scores meanwhile
        self._down -= 1
        self._refuse()

    def _refuse(self):
        if self._down > 0:
            raise exceptions.ActorUnavailableError("it is started", None)
        if not self._opens:
            raise exceptions.RayTaskError("ready", "", UserError("the model is gone")).as_instanceof_cause()


def scored(host, count):
    from rewardlab_shards.actor_pool import ActorPool

    async def all_of_them():
        pool = ActorPool(lambda place: host, [host], say=lambda text: None)
        groups = (Group(sample=Sample(id=str(n)), completions=[Completion(text="x")]) for n in range(count))
        return await asyncio.wait_for(asyncio.gather(*map(pool.scores, groups)), 60)

    return asyncio.run(all_of_them())


@pytest.fixture(autouse=True)
def short_pause(monkeypatch):
    monkeypatch.setattr("rewardlab_shards.actor_pool.PAUSE_S", 0.02)


@pytest.mark.parametrize("count", [1, 40, 900])
def test_calls_of_a_host_that_is_down_accuse_no_row(count):
    """Whether few rows are left, so that nothing keeps the rest of its callers busy, or many."""
    assert len(scored(MortalHost(), count)) == count


def test_a_host_that_never_opens_again_ends_the_job():
    with pytest.raises(JobError, match="the model is gone"):
        scored(MortalHost(opens=False), 900)
