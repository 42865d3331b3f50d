"""Ids that are used again: a repeat after a failure, and another group of the same id, while an old group waits."""

import asyncio

import pytest
from rewardlab.errors import JobError
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer
from rewardlab_serve.errors import RequestError
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService, ServiceLimits

RECIPE = {"version": 1, "reward": {"components": {"box": {"use": "format/boxed"}}, "total": "box"}}


def row(text):
    return {"prompt": "1+1?", "completions": [text]}


@pytest.fixture
def asking():
    """Run `work(service)` on an event loop, whose service keeps no answers and has a group that waits for a member."""

    def run(work):
        async def whole():
            plan = make_plan(load(RECIPE, [], strict=False), purpose="score")
            with Scorer(plan) as scorer:
                service = RewardService(plan, scorer, ServiceLimits(kept=0), Metrics())
                waiting = asyncio.ensure_future(service.member("waiting", 0, 2, row("x")))
                while service.state("waiting") is None:
                    await asyncio.sleep(0)
                found = await work(service)
                await service.member("waiting", 1, 2, row("x"))
                assert (await waiting)["total"] == [0.0, 0.0]
                return found

        return asyncio.run(asyncio.wait_for(whole(), 60))

    return run


def failing_once(service, monkeypatch):
    """Let the next group fail by what comes after its scores."""
    count = service._count_missing

    def once(scored):
        monkeypatch.setattr(service, "_count_missing", count)
        raise JobError("the judge is down")

    monkeypatch.setattr(service, "_count_missing", once)


def test_an_id_whose_answer_is_kept_no_longer_is_another_group(asking):
    async def work(service):
        return [
            (await service.member("g", 0, 1, row(text)))["total"] for text in ("\\boxed{2}", "no box", "\\boxed{3}")
        ]

    assert asking(work) == [[1.0], [0.0], [1.0]]


def test_a_group_that_failed_is_scored_anew(asking, monkeypatch):
    async def work(service):
        failing_once(service, monkeypatch)
        with pytest.raises(RequestError, match="the judge is down"):
            await service.group({"id": "g", **row("\\boxed{2}")})
        return (await service.group({"id": "g", **row("\\boxed{2}")}))["total"]

    assert asking(work) == [1.0]


def test_a_repeat_that_comes_as_its_group_fails_leaves_nothing_behind(asking, monkeypatch):
    async def work(service):
        failing_once(service, monkeypatch)
        over, repeats = service._host._over_now, []

        def over_now(*what):
            over(*what)
            if not repeats:
                repeats.append(asyncio.ensure_future(service.group({"id": "g", **row("\\boxed{2}")})))

        monkeypatch.setattr(service._host, "_over_now", over_now)
        with pytest.raises(RequestError, match="the judge is down"):
            await service.group({"id": "g", **row("\\boxed{2}")})
        await asyncio.gather(*repeats, return_exceptions=True)
        return len(service._host), len(service._pending)

    assert asking(work) == (1, 1), "the one that waits"
