"""Requests and tokens a minute, on a clock that the tests move."""

import asyncio

import pytest
from helpers.clock import Clock
from rewardlab import Ask, Reply
from rewardlab.judging import rate_limit
from rewardlab.judging.rate_limit import RateLimit

MINUTE = 60.0
QUESTION = Ask(messages=({"role": "user", "content": "x" * 300},))


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(rate_limit, "time", clock)
    yield clock
    clock.close()


def most_within_a_minute(sent, amount=lambda one: 1):
    return max(sum(amount(s) for s in sent if begin <= s[0] < begin + MINUTE) for begin, _ in sent)


class Sending:
    """Questions that go through a pace, with the times at which they went."""

    def __init__(self, clock, pace, reply=None):
        self.clock, self.pace, self.reply, self.sent, self.over = clock, pace, reply, [], False

    async def one(self, number, ask=QUESTION):
        taken = await self.pace.turn(ask, lambda: self.over)
        if self.over:
            return
        self.sent.append((self.clock.now, number))
        if self.reply is not None:
            self.pace.settle(ask, taken, self.reply)

    def many(self, count):
        return [asyncio.create_task(self.one(number)) for number in range(count)]


@pytest.mark.parametrize("limit", [1, 7, 60, 90, 600])
def test_no_minute_has_more_requests_and_none_is_wasted(clock, limit):
    sending = Sending(clock, RateLimit(limit, None))

    async def scenario():
        tasks = sending.many(3 * limit)
        await asyncio.gather(*tasks)

    clock.run_until_complete(scenario())
    assert [number for _, number in sending.sent] == list(range(3 * limit)), "they go in order"
    assert most_within_a_minute(sending.sent) == limit
    assert sending.sent[-1][0] - sending.sent[0][0] <= 3.05 * MINUTE


def test_a_burst_is_one_seconds_worth_also_after_a_silence(clock):
    pace = RateLimit(600, None)
    sending = Sending(clock, pace)

    async def scenario():
        for begin in (1000.0, 5000.0):
            await asyncio.sleep(begin - clock.now)
            tasks = sending.many(30)
            await asyncio.gather(*tasks)
            assert sum(at == begin for at, _ in sending.sent) == 10

    clock.run_until_complete(scenario())


def test_who_gives_up_waiting_leaves_the_place_to_others_and_makes_no_burst(clock):
    limit = 60
    sending = Sending(clock, RateLimit(limit, None))

    async def scenario():
        first = sending.many(100)
        await asyncio.sleep(10.5)
        for task in first[11:90]:
            task.cancel()
        later = sending.many(80)
        await asyncio.gather(*first, *later, return_exceptions=True)

    clock.run_until_complete(scenario())
    assert len(sending.sent) == 100 - 79 + 80
    assert most_within_a_minute(sending.sent) <= limit
    assert sending.sent[-1][0] - sending.sent[0][0] <= 101.0, "the places that were given up are used"


def test_who_gives_up_next_in_line_gives_the_turn_back(clock):
    pace = RateLimit(60, None)

    async def scenario():
        await pace.turn(QUESTION)
        for _ in range(20):
            waiting = asyncio.create_task(pace.turn(QUESTION))
            await asyncio.sleep(0.01)
            waiting.cancel()
        last = asyncio.create_task(pace.turn(QUESTION))
        await last

    clock.run_until_complete(scenario())
    assert clock.now == pytest.approx(1001.0)


@pytest.mark.parametrize("tokens", [356, 56, 956])
def test_what_an_answer_took_counts_for_who_waits_already(clock, tokens):
    """Before it came it was taken to have 256 tokens, after a question of 100."""
    pace = RateLimit(None, 600)

    async def scenario():
        taken = await pace.turn(QUESTION)
        begin, second = clock.now, asyncio.create_task(pace.turn(QUESTION))
        await asyncio.sleep(0.1)
        pace.settle(QUESTION, taken, Reply(prompt_tokens=tokens, completion_tokens=0))
        await second
        return clock.now - begin

    assert clock.run_until_complete(scenario()) == pytest.approx(tokens / 600 * MINUTE, rel=0.05)


@pytest.mark.parametrize("spread", [0, 400])
def test_hardly_any_tokens_are_left_unused_though_answers_differ(clock, spread):
    pace = RateLimit(None, 6000)

    async def one(number):
        taken = await pace.turn(QUESTION)
        await asyncio.sleep(20)
        answer = 400 + (spread if number % 2 else -spread)
        pace.settle(QUESTION, taken, Reply(prompt_tokens=100, completion_tokens=answer))

    async def scenario():
        await asyncio.gather(*map(one, range(120)))
        return clock.now - 1000.0

    assert clock.run_until_complete(scenario()) == pytest.approx(120 * 500 / 100 + 20, rel=0.1)


def test_no_minute_has_more_tokens_once_answers_have_shown_how_many_they_are(clock):
    limit, reply = 6000, Reply(prompt_tokens=50, completion_tokens=450)
    sending = Sending(clock, RateLimit(None, limit), reply)

    async def scenario():
        tasks = sending.many(60)
        await asyncio.gather(*tasks)

    clock.run_until_complete(scenario())
    settled = [one for one in sending.sent if one[1] >= 20]
    most = most_within_a_minute(settled, lambda one: 500)
    assert 0.8 * limit <= most <= limit + 500


def test_what_a_question_takes_is_learned_from_the_answers_so_far(clock):
    pace, longer = RateLimit(None, 10**9), Ask(messages=QUESTION.messages * 3)

    async def scenario():
        for _ in range(100):
            taken = await pace.turn(QUESTION)
            pace.settle(QUESTION, taken, Reply(prompt_tokens=150, completion_tokens=1000))
        return [await pace.turn(ask) for ask in (Ask(), QUESTION, longer)]

    assert clock.run_until_complete(scenario()) == pytest.approx([1000, 1150, 1450], rel=0.01)


def test_one_question_above_the_limit_goes_when_enough_time_has_paid_for_it(clock):
    sending = Sending(clock, RateLimit(None, 100))

    async def scenario():
        tasks = sending.many(2)
        await asyncio.gather(*tasks)

    clock.run_until_complete(scenario())
    waits = [at - 1000.0 for at, _ in sending.sent]
    assert waits == pytest.approx([356 / 100 * MINUTE, 2 * 356 / 100 * MINUTE], rel=0.05)


def test_both_limits_hold(clock):
    reply = Reply(prompt_tokens=100, completion_tokens=256)
    for limits, seconds in (((60, 1_000_000), 59), ((6000, 3560), 6 * MINUTE)):
        sending = Sending(clock, RateLimit(*limits), reply)

        async def scenario(sending=sending):
            begin, tasks = clock.now, sending.many(60)
            await asyncio.gather(*tasks)
            return clock.now - begin

        assert clock.run_until_complete(scenario()) == pytest.approx(seconds, rel=0.05)


def test_without_limits_nobody_waits(clock):
    async def scenario():
        assert await RateLimit(None, None).turn(QUESTION) == 0.0

    clock.run_until_complete(scenario())


def test_questions_that_need_not_go_any_more_wait_only_for_who_is_next_and_take_nothing(clock):
    sending = Sending(clock, RateLimit(1, None))

    async def scenario():
        tasks = sending.many(50)
        await asyncio.sleep(1)
        sending.over = True
        await asyncio.gather(*tasks)
        sending.over = False
        await asyncio.gather(*sending.many(1))

    clock.run_until_complete(scenario())
    assert clock.now == pytest.approx(1060.0)
    assert len(sending.sent) == 2
