"""Requests and tokens a minute, on a clock that the tests move."""

import asyncio
from types import SimpleNamespace

import pytest
from rewardlab import Ask, Reply
from rewardlab.judging import pace as pacing
from rewardlab.judging.pace import Pace

MINUTE = 60.0
QUESTION = Ask(messages=({"role": "user", "content": "x" * 300},))


class Clock:
    """Sleeps take no time; `now` is what they added up to."""

    def __init__(self):
        self.now = 1000.0
        self._sleeping = []

    def monotonic(self):
        return self.now

    async def sleep(self, seconds):
        until = self.now + seconds
        waking = asyncio.get_running_loop().create_future()
        self._sleeping.append((until, waking))
        await waking

    async def run(self, until=float("inf")):
        """Let time pass until nobody sleeps, or until then."""
        while True:
            for _ in range(10):
                await asyncio.sleep(0)
            self._sleeping = [one for one in self._sleeping if not one[1].done()]
            if not self._sleeping or min(self._sleeping)[0] > until:
                self.now = max(self.now, until) if until < float("inf") else self.now
                return
            self.now, waking = min(self._sleeping, key=lambda one: one[0])
            waking.set_result(None)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    names = {"sleep": clock.sleep, "Lock": asyncio.Lock, "CancelledError": asyncio.CancelledError}
    monkeypatch.setattr(pacing, "asyncio", SimpleNamespace(**names))
    monkeypatch.setattr(pacing, "time", clock)
    return clock


def most_within_a_minute(sent, amount=lambda one: 1):
    return max(sum(amount(s) for s in sent if begin <= s[0] < begin + MINUTE) for begin, _ in sent)


class Sending:
    """Questions that go through a pace, with the times at which they went."""

    def __init__(self, clock, pace, reply=None):
        self.clock, self.pace, self.reply, self.sent = clock, pace, reply, []

    async def one(self, number, ask=QUESTION):
        taken = await self.pace.turn(ask)
        self.sent.append((self.clock.now, number))
        if self.reply is not None:
            self.pace.settle(ask, taken, self.reply)

    def many(self, count):
        return [asyncio.create_task(self.one(number)) for number in range(count)]


@pytest.mark.parametrize("limit", [1, 7, 60, 90, 600])
def test_no_minute_has_more_requests_and_none_is_wasted(clock, limit):
    sending = Sending(clock, Pace(limit, None))

    async def scenario():
        tasks = sending.many(3 * limit)
        await clock.run()
        await asyncio.gather(*tasks)

    asyncio.run(scenario())
    assert [number for _, number in sending.sent] == list(range(3 * limit)), "they go in order"
    assert most_within_a_minute(sending.sent) == limit
    assert sending.sent[-1][0] - sending.sent[0][0] <= 3.05 * MINUTE


def test_a_burst_is_one_seconds_worth_also_after_a_silence(clock):
    pace = Pace(600, None)
    sending = Sending(clock, pace)

    async def scenario():
        for begin in (1000.0, 5000.0):
            clock.now = begin
            tasks = sending.many(30)
            await clock.run()
            await asyncio.gather(*tasks)
            assert sum(at == begin for at, _ in sending.sent) == 10

    asyncio.run(scenario())


def test_who_gives_up_waiting_leaves_the_place_to_others_and_makes_no_burst(clock):
    limit = 60
    sending = Sending(clock, Pace(limit, None))

    async def scenario():
        first = sending.many(100)
        await clock.run(until=clock.now + 10.5)
        for task in first[11:90]:
            task.cancel()
        later = sending.many(80)
        await clock.run()
        await asyncio.gather(*first, *later, return_exceptions=True)

    asyncio.run(scenario())
    assert len(sending.sent) == 100 - 79 + 80
    assert most_within_a_minute(sending.sent) <= limit
    assert sending.sent[-1][0] - sending.sent[0][0] <= 101.0, "the places that were given up are used"


def test_no_minute_has_more_tokens_once_answers_have_shown_how_many_they_are(clock):
    limit, reply = 6000, Reply(prompt_tokens=50, completion_tokens=450)
    sending = Sending(clock, Pace(None, limit), reply)

    async def scenario():
        tasks = sending.many(60)
        await clock.run()
        await asyncio.gather(*tasks)

    asyncio.run(scenario())
    settled = [one for one in sending.sent if one[1] >= 20]
    most = most_within_a_minute(settled, lambda one: 500)
    assert 0.8 * limit <= most <= limit + 500


def test_one_question_above_the_limit_goes_when_enough_time_has_paid_for_it(clock):
    sending = Sending(clock, Pace(None, 100))

    async def scenario():
        tasks = sending.many(2)
        await clock.run()
        await asyncio.gather(*tasks)

    asyncio.run(scenario())
    waits = [at - 1000.0 for at, _ in sending.sent]
    assert waits == pytest.approx([356 / 100 * MINUTE, 2 * 356 / 100 * MINUTE], rel=0.05)


def test_both_limits_hold(clock):
    reply = Reply(prompt_tokens=100, completion_tokens=256)
    for limits, seconds in (((60, 1_000_000), 59), ((6000, 3560), 6 * MINUTE)):
        sending = Sending(clock, Pace(*limits), reply)

        async def scenario(sending=sending):
            begin, tasks = clock.now, sending.many(60)
            await clock.run()
            await asyncio.gather(*tasks)
            return clock.now - begin

        assert asyncio.run(scenario()) == pytest.approx(seconds, rel=0.05)


def test_without_limits_nobody_waits(clock):
    async def scenario():
        assert await Pace(None, None).turn(QUESTION) == 0.0

    asyncio.run(scenario())


def test_nobody_waits_for_a_job_that_ends(clock):
    pace = Pace(1, None)
    sending = Sending(clock, pace)

    async def scenario():
        tasks = sending.many(50)
        await clock.run(until=clock.now + 1)
        pace.closed = True
        await clock.run()
        await asyncio.gather(*tasks)

    asyncio.run(scenario())
    assert clock.now == 1060.0, "but for the one whose turn was next"
