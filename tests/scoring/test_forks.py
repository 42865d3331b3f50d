"""A reward in other processes: forks open their own, spawned ones load it again, and what nobody closes ends."""

import asyncio
import gc
import json
import multiprocessing
import os
import pickle
import sys
import time

import pytest
from rewardlab.concurrency.threads import CallThread, LoopThread
from rewardlab.errors import JobError, UserError
from rewardlab.judging.settings import JudgingSettings
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scoring.recipe_reward import RecipeReward, load_reward

pytestmark = pytest.mark.slow

RECIPE = {
    "version": 1,
    "reward": {
        "components": {
            "brief": {"use": "toy/brevity", "with": {"words": 2}},
            "worker": {"use": "toy/worker", "with": {"words": 2}, "workers": 1},
            "judged": {"use": "toy/prefer", "with": {"judge": "main"}},
        },
        "total": "brief + worker + judged",
    },
    "judges": {"main": {"use": "toy/polite"}},
}
ROWS = [{"id": "r", "prompt": "Why?", "completions": ["please", "a b c d"]}]


def totals(reward):
    return [group.totals for group in reward.score(ROWS)]


def said_by_fork(work):
    """What `work` returns in a fork of this process, as text; a fork that hangs is killed and says nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, repr(work()).encode())
        except BaseException as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        end = time.monotonic() + 30
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(child, 9)
                os.waitpid(child, 0)
                break
            time.sleep(0.01)
        return file.read().decode()


@pytest.fixture
def reward(toy):
    with load_reward(RECIPE) as reward:
        yield reward


def test_a_fork_opens_its_own_and_leaves_the_parents_alone(reward):
    here = totals(reward)
    assert said_by_fork(lambda: totals(reward)) == repr(here)
    assert said_by_fork(lambda: (totals(reward), reward.close(), totals(load_reward(RECIPE)))[2]) == repr(here)
    assert totals(reward) == here


def test_a_fork_of_a_fork_does_too(reward):
    assert said_by_fork(lambda: said_by_fork(lambda: totals(reward))) == repr(repr(totals(reward)))


def test_a_fork_does_not_use_what_only_one_process_may_write(toy, tmp_path):
    plan = make_plan(load(RECIPE, strict=False), purpose="score")
    with RecipeReward(plan, judging=JudgingSettings(folder=tmp_path / "judges")) as reward:
        assert "keeps its judges' answers in a folder" in said_by_fork(lambda: totals(reward))
        with pytest.raises(TypeError, match="only a reward from load_reward"):
            pickle.dumps(reward)


def test_threads_of_another_process_are_not_waited_for():
    loop, calls = LoopThread("loop"), CallThread("calls")

    async def nothing():
        return None

    async def asked():
        return await calls.call(lambda: None)

    def in_fork(work):
        said = said_by_fork(work)
        assert said.startswith(JobError.__name__)
        return said

    assert "loop belongs to the process" in in_fork(lambda: loop.run(nothing()))
    assert "calls belongs to the process" in in_fork(lambda: asyncio.run(asked()))
    loop.close()
    calls.close()


def test_a_worker_ends_with_its_host_though_a_fork_lives_on(toy):
    pipes = len(os.listdir("/proc/self/fd"))
    with load_reward(RECIPE) as reward:
        totals(reward)
        inside = int(said_by_fork(lambda: sum(os.readlink(f"/proc/self/fd/{fd}").startswith("pipe") for fd in fds())))
        held = sum(os.readlink(f"/proc/self/fd/{fd}").startswith("pipe") for fd in fds())
    assert inside <= held + 2 - 3  # the pipe by which it tells this; without the three of each worker
    assert len(os.listdir("/proc/self/fd")) <= pipes


def fds():
    return [fd for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")]


def test_a_spawned_process_loads_it_again(reward, toy_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (group,) = pool.apply_async(reward.score, (ROWS,)).get(60)
    assert [group.totals] == totals(reward)


def test_pools_of_datasets_score(reward):
    datasets = pytest.importorskip("datasets")
    table = datasets.Dataset.from_list([{"id": str(n), "prompt": "Why?", "completions": ["a"]} for n in range(4)])
    scored = table.map(lambda row: {"total": reward.score([row])[0].totals}, num_proc=2)
    assert scored["total"][:] == [group.totals for group in reward.score(table.to_list())]


def test_pickled_it_keeps_its_overrides_and_what_it_says(toy, tmp_path, monkeypatch):
    (tmp_path / "r.yaml").write_text(json.dumps(RECIPE))
    monkeypatch.chdir(tmp_path)
    with load_reward("r.yaml", "reward.total=brief") as reward:
        kept = pickle.dumps(reward)
    monkeypatch.chdir("/")
    with pickle.loads(kept) as again:
        assert totals(again) == [[1.0, 0.5]]
    with pytest.raises(UserError, match="closed"):
        totals(again)


@pytest.mark.slow
def test_what_nobody_closes_ends(toy):
    totals(load_reward(RECIPE))  # what is opened once for all
    until, before = time.monotonic() + 20, None
    while before != (before := len(os.listdir("/proc/self/fd"))) or time.monotonic() < until - 19:
        time.sleep(0.1)
    for _ in range(5):
        totals(load_reward(RECIPE))
    gc.collect()
    until = time.monotonic() + 20
    while len(os.listdir("/proc/self/fd")) > before and time.monotonic() < until:
        time.sleep(0.05)
    assert len(os.listdir("/proc/self/fd")) <= before
