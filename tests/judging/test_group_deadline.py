"""The deadline of all questions about a group."""

import asyncio
from dataclasses import replace

import pytest
from helpers.clock import clock_home
from rewardlab import Ask, Completion, GroupStream, JudgeSpec, Reply, Sample, Score
from rewardlab.judging.group_deadline import GROUP_CLOCK, GroupClock
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.recipe.models import JudgeUse
from rewardlab.scoring.scorer import Scorer

LATE = "judge 'main' did not answer all questions about the group within 0.15 s"
YES = Reply(text="yes")


class Judge:
    """Takes as many seconds as the question says."""

    def __init__(self):
        self.asked = []

    async def ask(self, ask):
        self.asked.append(ask)
        await asyncio.sleep(ask.parts["seconds"])
        return YES


@pytest.fixture
def home():
    with clock_home() as home:
        yield home


@pytest.fixture
def judge():
    return Judge()


@pytest.fixture
def hosted(home, judge):
    spec = JudgeSpec(name="made", summary="made", build=lambda *_: judge)
    settings = JudgeUse(use="test/made", group_timeout=0.15, concurrency=8)
    return HostedJudge("main", judge, spec, settings, home)


def question(seconds, draw=0):
    return Ask(parts={"seconds": seconds}, draw=draw)


def stream_of(size, arrived=None):
    stream = GroupStream(Sample(id="s"), size)
    for index in range(size if arrived is None else arrived):
        stream.put(index, Completion(text="x"))
    return stream


def about(stream, *coroutines):
    """The coroutines as tasks that score this group."""
    token = GROUP_CLOCK.set(GroupClock(stream))
    try:
        return [asyncio.create_task(coroutine) for coroutine in coroutines]
    finally:
        GROUP_CLOCK.reset(token)


def run(home, scenario):
    return home.run(asyncio.wait_for(scenario(), 10))


def test_questions_that_take_longer_end_with_an_error_that_says_so(home, hosted):
    async def scenario():
        begin = home.loop.time()
        replies = await asyncio.gather(*about(stream_of(1), hosted.ask(question(0)), hosted.ask(question(9))))
        assert replies == [YES, Reply(error=LATE)]
        assert home.loop.time() - begin == pytest.approx(0.15)

    run(home, scenario)
    assert hosted.usage.failed == 1


def test_it_counts_from_the_groups_first_question_also_for_later_ones(home, hosted):
    async def ended(draw, after):
        await asyncio.sleep(after)
        assert await hosted.ask(question(9, draw=draw)) == Reply(error=LATE)
        return home.loop.time()

    async def scenario():
        begin = home.loop.time()
        ends = await asyncio.gather(*about(stream_of(1), ended(0, after=0), ended(1, after=0.1)))
        assert [end - begin for end in ends] == pytest.approx([0.15, 0.15])

    run(home, scenario)


def test_it_does_not_begin_before_the_group_is_complete(home, hosted):
    stream = stream_of(2, arrived=1)

    async def complete():
        await asyncio.sleep(0.2)
        stream.put(1, Completion(text="y"))
        return await hosted.ask(question(0, draw=1))

    async def scenario():
        asks = (hosted.ask(question(0.3)), hosted.ask(question(9)), complete())
        assert await asyncio.gather(*about(stream, *asks)) == [YES, Reply(error=LATE), YES]

    run(home, scenario)


def test_each_group_has_its_own(home, hosted):
    async def scenario():
        slow = about(stream_of(1), hosted.ask(question(9)))
        await asyncio.sleep(0.1)
        other = about(stream_of(1), hosted.ask(question(0.1, draw=1)))
        assert await asyncio.gather(*slow, *other) == [Reply(error=LATE), YES]

    run(home, scenario)


def test_waiting_for_a_place_for_its_first_question_does_not_count(home, hosted):
    async def scenario():
        others = [asyncio.create_task(hosted.ask(question(0.4, draw=draw))) for draw in range(8)]
        await asyncio.sleep(0)
        first, *rest = about(stream_of(1), *(hosted.ask(question(0, draw=8 + n)) for n in range(3)))
        assert await asyncio.gather(first, *rest) == [YES] * 3, "none was sent before there was a place"
        assert await asyncio.gather(*others) == [YES] * 8

    run(home, scenario)


def test_the_same_question_goes_on_for_another_group_that_has_time(home, hosted, judge):
    """The end of one group's time is not an answer to the other."""

    async def scenario():
        first = about(stream_of(1), hosted.ask(question(0.2)))
        await asyncio.sleep(0.1)
        second = about(stream_of(2, arrived=1), hosted.ask(question(0.2)))
        assert await asyncio.gather(*first, *second) == [Reply(error=LATE), YES]

    run(home, scenario)
    assert len(judge.asked) == 2


def test_the_same_question_under_way_for_others_keeps_no_group_waiting(home, hosted, judge):
    async def scenario():
        outside = asyncio.create_task(hosted.ask(question(0.5)))
        await asyncio.sleep(0)
        begin = home.loop.time()
        replies = await asyncio.gather(*about(stream_of(1), hosted.ask(question(0, draw=1)), hosted.ask(question(0.5))))
        assert replies == [YES, Reply(error=LATE)]
        assert home.loop.time() - begin == pytest.approx(0.15)
        assert await outside == YES

    run(home, scenario)
    assert len(judge.asked) == 2


def test_a_question_outside_any_group_has_no_deadline(home, hosted):
    assert home.run(hosted.ask(question(0.2))) == YES


@pytest.mark.slow
@pytest.mark.parametrize("runs", ["async", "thread"])
def test_components_of_a_reward_share_it_from_wherever_they_run(plan_of, reward, group_of, judge, runs):
    class Asking:
        def __init__(self, judge, seconds):
            self.judge, self.seconds = judge, seconds

        async def score(self, stream):
            await stream.group()
            replies = [await self.judge.ask(question(self.seconds, draw)) for draw in range(stream.size)]
            return [Score(value=None if r.error else 1.0, error=r.error) for r in replies]

    spec = JudgeSpec(name="made", summary="made", build=lambda *_: judge)
    parts = {
        name: replace(
            reward(None, name=name, scope="group", runs=runs),
            build=lambda _, context, seconds=seconds: Asking(context.judges["main"], seconds),
        )
        for name, seconds in (("quick", 0.0), ("slow", 0.3))
    }
    policies = {name: {"on_missing": 0, "max_missing": 1} for name in parts}
    plan = plan_of(parts, judges={"main": (spec, {"group_timeout": 0.5})}, policies=policies)
    with Scorer(plan) as scorer:
        for _ in range(2):
            (scored,) = scorer.score_groups([group_of("a", "b")])
            assert [one.error for one in scored.components["quick"]] == [None, None]
            assert [one.error for one in scored.components["slow"]] == [None, LATE.replace("0.15", "0.5")]
