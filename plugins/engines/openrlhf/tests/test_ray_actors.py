"""Calls to an actor of a job that is killed: none is lost, and none is made twice but those that were under way."""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter

import pytest

pytest.importorskip("ray", reason="needs the environment of the OpenRLHF backend")

import ray
from rewardlab.errors import JobError
from rewardlab_ray.ray_actors import NAMESPACE, JobActor

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors' processes cannot import a test


class Noting:
    """An actor that notes in a file which calls reach it."""

    def __init__(self, file):
        if ray.get_runtime_context().was_current_actor_reconstructed:
            time.sleep(1.0)  # as one does that reads its files
        self.file = file

    async def pid(self):
        return os.getpid()

    async def note(self, key, gate=None):
        with open(self.file, "a") as file:
            file.write(f"{key}\n")
        while gate is not None and not os.path.exists(gate):
            await asyncio.sleep(0.02)
        return key

    async def refuse(self):
        raise ValueError("not this")


@pytest.fixture(scope="module")
def cluster():
    folder = tempfile.mkdtemp(prefix="r_", dir="/tmp")  # a socket's path is short
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(address="local", num_cpus=1, include_dashboard=False, _temp_dir=folder, log_to_driver=False)
        yield
        ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def noting(cluster, tmp_path, request):
    """An actor as `service` starts those of a job; `(its client, a function that returns the keys that reached it)`."""
    name, file = f"job/{request.node.name}", tmp_path / "keys"
    file.touch()
    options = {"num_cpus": 0, "max_restarts": 1, "max_task_retries": 0, "max_concurrency": 1000}
    actor = ray.remote(Noting).options(name=name, namespace=NAMESPACE, **options).remote(str(file))
    ray.get(actor.pid.remote())
    yield JobActor(name), lambda: file.read_text().split()
    ray.kill(actor)


async def until(true):
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.02)


def test_calls_across_a_restart_are_all_answered_and_only_those_under_way_are_made_twice(noting, tmp_path):
    client, keys = noting
    gate = str(tmp_path / "gate")

    async def calls():
        done = [await client.call("note", f"before-{n}") for n in range(20)]
        under_way = [asyncio.create_task(client.call("note", f"during-{n}", gate)) for n in range(20)]
        await until(lambda: len(keys()) == 40)
        os.kill(await client.call("pid"), signal.SIGKILL)
        late = [asyncio.create_task(client.call("note", f"late-{n}")) for n in range(20)]
        await asyncio.sleep(0.1)
        assert client.waiting == 40, "the user reads how many calls wait"
        open(gate, "w").close()
        return done + await asyncio.gather(*under_way, *late)

    answers = asyncio.run(calls())
    assert answers == [f"{when}-{n}" for when in ("before", "during", "late") for n in range(20)]
    assert Counter(keys()) == {key: 2 if key.startswith("during") else 1 for key in answers}
    assert client.waiting == 0


def test_an_actor_that_is_restarted_no_more_is_dead_for_all_who_wait(noting, tmp_path):
    client, keys = noting

    async def calls():
        under_way = [asyncio.create_task(client.call("note", n, str(tmp_path / "never"))) for n in range(3)]
        await until(lambda: len(keys()) == 3)
        os.kill(await client.call("pid"), signal.SIGKILL)
        await until(lambda: len(keys()) == 6)
        os.kill(await client.call("pid"), signal.SIGKILL)
        late = client.call("note", "late")
        return await asyncio.gather(*under_way, late, return_exceptions=True)

    answers = asyncio.run(asyncio.wait_for(calls(), 60))
    assert all(type(one) is JobError and str(one).startswith(f"{client.name} is dead: ") for one in answers)
    assert "late" not in keys()


def test_an_error_of_a_method_is_not_tried_again(noting):
    client, _ = noting
    with pytest.raises(JobError, match=r"ValueError: not this"):
        asyncio.run(client.call("refuse"))
