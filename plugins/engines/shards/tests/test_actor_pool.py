"""What the pool of hosts makes of a death; a stand-in raises what Ray raises, so that no cluster is asked."""

import asyncio
import gc
import socket

import pytest
from rewardlab.errors import BudgetUsedUpError, JobError, UserError

exceptions = pytest.importorskip("ray.exceptions", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = pytest.mark.verl
SIZES = {"part": 16, "calls": 16}


class Method:
    def __init__(self, run):
        self.remote = run


class MortalHost:
    """A host that dies with its first calls; calls of it fail until it was asked `down` times whether it is ready."""

    def __init__(self, down=3, opens=True):
        self._alive, self._down, self._opens, self.dead = True, down, opens, False
        self.results, self.ready = Method(self._results), Method(self._ready)

    async def _results(self, items):
        from rewardlab_shards.host_actor import PartResults

        first = self._alive
        if not first:
            self._refuse()
        await asyncio.sleep(0.01)  # all first calls have begun
        if first:
            self._alive = False
            raise exceptions.RayActorError
        return PartResults(results=[f"{item} is done" for item in items])

    async def _ready(self):
        await asyncio.sleep(0.05)  # others may ask for results meanwhile
        self._down -= 1
        self._refuse()

    def _refuse(self):
        if self.dead:
            raise exceptions.ActorDiedError
        if self._down > 0:
            raise exceptions.ActorUnavailableError("it is started", None)
        if not self._opens:
            raise exceptions.RayTaskError("ready", "", UserError("the model is gone")).as_instanceof_cause()


def done(host, count, say=lambda text: None):
    from rewardlab_shards.actor_pool import ActorPool

    async def all_of_them():
        pool = ActorPool(lambda place: host, [host], say=say, **SIZES)
        return await asyncio.wait_for(asyncio.gather(*map(pool.result, range(count))), 60)

    return asyncio.run(all_of_them())


@pytest.fixture(autouse=True)
def short_pause(monkeypatch):
    monkeypatch.setattr("rewardlab_shards.actor_pool.PAUSE_S", 0.02)


@pytest.mark.parametrize("count", [1, 40, 900])
def test_calls_of_a_host_that_is_down_accuse_no_row(count):
    """Whether few rows are left, so that nothing keeps the rest of its callers busy, or many."""
    said = []
    assert len(done(MortalHost(), count, said.append)) == count
    assert [text.partition(";")[0] for text in said] == ["host 1 has died", "no host is up"]


class SlowHost(MortalHost):
    """A host whose answers come later than any test waits for."""

    async def _results(self, items):
        await asyncio.sleep(3600)


def lost_soon(monkeypatch):
    """Return what watches a head at which nobody listens."""
    from rewardlab_shards import head_watch

    monkeypatch.setattr(head_watch, "PAUSE_S", 0.01)
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{place.getsockname()[1]}"
    return lambda: head_watch.until_lost(address)


def test_a_head_that_is_lost_ends_the_job_though_no_host_says_anything(monkeypatch):
    from rewardlab_shards.actor_pool import ActorPool

    ended = []

    async def asked():
        host = SlowHost()
        pool = ActorPool(
            lambda place: host,
            [host],
            lambda text: None,
            **SIZES,
            end=lambda: ended.append(1),
            head_lost=lost_soon(monkeypatch),
        )
        answers = await asyncio.wait_for(asyncio.gather(*map(pool.result, range(900)), return_exceptions=True), 60)
        with pytest.raises(JobError, match="is lost"):
            await pool.result("later")
        pool.close()
        return answers

    answers = asyncio.run(asked())
    assert {type(answer) for answer in answers} == {JobError}
    assert "start the cluster again" in str(answers[0])
    assert ended == []  # without a head, Ray would wait for it


def test_a_head_that_answers_is_not_lost(monkeypatch):
    from rewardlab_shards import head_watch

    monkeypatch.setattr(head_watch, "PAUSE_S", 0.01)
    calls = []

    async def watched():
        async with await asyncio.start_server(lambda *streams: calls.append(streams), "127.0.0.1", 0) as server:
            address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
            watch = asyncio.create_task(head_watch.until_lost(address))
            while len(calls) < 2 * head_watch.MISSES:
                await asyncio.sleep(0.01)
            assert not watch.done()
            for _, writer in calls:
                writer.close()
        return await asyncio.wait_for(watch, 60)

    assert "is lost" in str(asyncio.run(watched()))


def test_a_host_that_is_still_down_at_the_end_is_not_started_again():
    """Another host has scored all rows, and the pool is closed while it waits for this one."""
    from rewardlab_shards.actor_pool import ActorPool

    unheard, started = [], []

    async def all_of_them():
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context["message"]))
        hosts = [MortalHost(down=10**9), MortalHost(down=1)]
        pool = ActorPool(lambda place: started.append(place) or hosts[place], hosts, say=lambda text: None, **SIZES)
        await asyncio.wait_for(asyncio.gather(*map(pool.result, range(900))), 60)
        hosts[0].dead = True
        pool.close()
        pool.close()
        await asyncio.sleep(0.3)  # those that serve it have asked for it once more, if nothing ended them
        gc.collect()

    asyncio.run(all_of_them())
    assert (unheard, started) == ([], [])


def test_a_host_that_never_opens_again_ends_the_job():
    with pytest.raises(JobError, match="the model is gone"):
        done(MortalHost(opens=False), 900)


class PoorHost:
    """A host with money for so many items, which raises what Ray makes of the end of a budget."""

    def __init__(self, money):
        self.money, self.results = money, Method(self._results)

    async def _results(self, items):
        from rewardlab_shards.host_actor import PartResults

        await asyncio.sleep(0.001)
        if self.money < len(items):
            raise exceptions.RayTaskError("results", "", BudgetUsedUpError("its part is used up")).as_instanceof_cause()
        self.money -= len(items)
        return PartResults(results=items)


def asked_of(moneys, count):
    """Return what hosts with so much money each made of `count` items, and what was said."""
    from rewardlab_shards.actor_pool import ActorPool

    said = []

    async def all_of_them():
        pool = ActorPool(None, [PoorHost(money) for money in moneys], said.append)
        return await asyncio.wait_for(asyncio.gather(*map(pool.result, range(count))), 60)

    return asyncio.run(all_of_them()), said


def test_a_host_whose_budget_is_used_up_leaves_its_items_to_the_others():
    """However few it has: more than two such hosts accuse no item."""
    results, said = asked_of([1, 0, 0, 0, 20], 20)
    assert results == [*range(20)]
    assert len(said) == 4
    assert said[0].endswith("ends; others take its rows: its part is used up")


def test_a_job_ends_with_the_budget_of_its_last_host():
    with pytest.raises(JobError, match="its part is used up"):
        asked_of([2, 3], 6)
