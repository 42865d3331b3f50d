"""An `async def` that nobody awaits is refused when it is built; one that awaits nothing is told."""

import asyncio
import functools

import pytest
from helpers.each_case import each_case
from rewardlab import CurriculumSpec, NormalizerSpec, RewardSpec
from rewardlab.errors import JobError
from rewardlab.plan.component import Component, build
from rewardlab.plan.unused_async import awaits_nothing, unawaited
from rewardlab.recipe.use import Use
from rewardlab.specs import Context


class Idle:
    async def score(self, items):
        async def inner():
            await asyncio.sleep(0)

        return [inner for _ in items]

    async def shape(self, totals, tokens, kept, seed):
        return totals

    async def order(self, samples, seed):
        return []


class Waiting:
    async def score(self, items):
        async with asyncio.Lock():
            return items


class Plain:
    def score(self, items):
        return items


async def built(options, context):
    return Plain()


def reward(made=Idle, **spec):
    return RewardSpec(name="r", summary="s", **{"build": lambda options, context: made(), **spec})


@pytest.mark.parametrize("runs", ["inline", "thread", "worker"])
def test_a_score_that_is_not_awaited_is_refused(runs):
    told = f"`score` is a coroutine function, which runs='{runs}' does not await; declare runs='async', or write `def "
    assert unawaited(reward(runs=runs), Idle()).startswith(told)
    assert unawaited(reward(runs=runs), Plain()) is None


def test_a_score_that_is_awaited_is_not():
    assert unawaited(reward(runs="async"), Idle()) is None
    assert unawaited(reward(scope="group"), Idle()) is None


def test_no_other_part_is_a_coroutine_function():
    normalizer = NormalizerSpec(name="n", summary="s", build=lambda options, context: Idle())
    told = "`shape` is a coroutine function, and it is never awaited; write `def shape`"
    with pytest.raises(JobError, match=f"^mine could not be built: {told}$"):
        build(Component(use=Use(use="test/n"), spec=normalizer, options=None), Context(), "mine", "shape")
    curriculum = CurriculumSpec(name="c", summary="s", build=lambda options, context: Idle())
    ordering = type("Ordering", (), {"order": Idle.order})()
    assert unawaited(curriculum, ordering) == (
        "`order` is a coroutine function, and it is never awaited; write `def order`"
    )


@pytest.mark.filterwarnings("error")
def test_a_build_that_nobody_awaits_is_refused():
    component = Component(use=Use(use="test/r"), spec=reward(build=built), options=None)
    with pytest.raises(JobError, match="`build` is a coroutine function, and it is never awaited; write `def`"):
        build(component, Context(), "mine", "score")


def test_a_coroutine_that_awaits_nothing_is_told_with_what_to_write():
    told = awaits_nothing(reward(runs="async"), Idle())
    assert told.startswith("its `score` is an `async def` that awaits nothing, so all other rewards and judges wait")
    assert "declare runs='thread'" in told


@each_case(
    "spec, made",
    [
        (reward(runs="async"), Waiting()),
        (reward(runs="async"), Plain()),  # its call says so
        (reward(runs="async"), type("P", (), {"score": functools.partial(Waiting().score)})()),
        (reward(scope="group", runs="async"), Idle()),
        (reward(runs="inline"), Plain()),
    ],
)
def test_others_are_not(spec, made):
    assert awaits_nothing(spec, made) is None
