"""The circuit breaker by itself, with its real pauses, on a clock that the tests move."""

import asyncio

import pytest
from rewardlab.judging import CircuitBreaker, circuit_breaker


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(circuit_breaker, "time", clock)
    return clock


def opened(patience=80.0, failures=circuit_breaker.MOST_IN_A_ROW):
    breaker = CircuitBreaker(patience)
    for _ in range(failures):
        breaker.failed("refused", None)
    return breaker


def test_pauses_grow_with_every_trial(clock):
    async def scenario():
        breaker, pauses, begin = opened(), [], clock.now
        while len(pauses) < 7:
            waiting = asyncio.ensure_future(breaker.turn())
            await asyncio.sleep(0)
            if waiting.done():
                assert waiting.result() is True
                breaker.failed("refused", None, trial=True)
                pauses.append(clock.now - begin)
                begin = clock.now
            else:
                waiting.cancel()
                await asyncio.sleep(0)
                clock.now += 0.5
        return pauses

    assert asyncio.run(scenario()) == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0]


def test_pauses_are_short_where_questions_wait_for_a_short_time(clock):
    async def scenario():
        breaker = opened(patience=4.0)
        for _ in range(7):
            clock.now += 4.0 / circuit_breaker.LEAST_TRIALS
            assert await breaker.turn() is True
            breaker.failed("refused", None, trial=True)

    asyncio.run(scenario())


def test_failures_of_calls_that_were_under_way_do_not_lengthen_them(clock):
    async def scenario():
        breaker = opened(failures=64)
        clock.now += 1.0
        assert await breaker.turn() is True

    asyncio.run(scenario())


def test_a_few_failures_open_it_when_they_last(clock):
    async def scenario():
        breaker = opened(failures=2)
        assert await breaker.turn() is False
        clock.now += circuit_breaker.FEW_LAST_S
        breaker.failed("refused", None)
        assert breaker.seconds == circuit_breaker.FEW_LAST_S

    asyncio.run(scenario())


@pytest.mark.parametrize("when", ["waiting", "chosen", "under way"])
def test_a_trial_that_is_taken_back_goes_to_the_next_at_once(when):
    async def scenario():
        breaker = opened()
        first, second = (asyncio.ensure_future(breaker.turn()) for _ in range(2))
        await asyncio.sleep(0)
        if when == "waiting":
            first.cancel()
        elif when == "chosen":
            breaker._next_trial = 0.0
            breaker._ring()
            first.cancel()
        else:
            breaker._next_trial = 0.0
            breaker._ring()
            assert await first is True
            breaker.untried()
        await asyncio.sleep(0)
        if when == "waiting":
            breaker._next_trial = 0.0
            breaker._ring()
        assert await asyncio.wait_for(second, 0.5) is True

    asyncio.run(scenario())


def test_a_pause_that_the_server_asks_for_counts_up_to_a_limit(clock):
    async def scenario():
        breaker = opened(patience=1000.0)
        breaker.failed("is busy", 30.0)
        breaker.failed("is busy", 5.0)
        for seconds, free in ((29.0, False), (1.0, True)):
            clock.now += seconds
            turn = asyncio.ensure_future(breaker.turn())
            await asyncio.sleep(0)
            assert turn.done() is free
            if not free:
                turn.cancel()
                await asyncio.sleep(0)
        breaker.failed("is busy", 1e9, trial=True)
        clock.now += circuit_breaker.LONGEST_AFTER_S
        assert await breaker.turn() is True

    asyncio.run(scenario())


def test_leaves_no_timer_behind():
    async def scenario():
        breaker = opened()
        waiting = [asyncio.ensure_future(breaker.turn()) for _ in range(3)]
        await asyncio.sleep(0)
        breaker.succeeded()
        assert await asyncio.gather(*waiting) == [False] * 3
        return breaker._timer

    assert asyncio.run(scenario()) is None


def test_it_is_told_once_that_questions_wait():
    async def scenario():
        told = []
        breaker = CircuitBreaker(80.0, lambda why, seconds: told.append((why, seconds)))
        for _ in range(3 * circuit_breaker.MOST_IN_A_ROW):
            breaker.failed("refused", None)
        assert told == [("refused", 80.0)]
        breaker.succeeded()
        for _ in range(circuit_breaker.MOST_IN_A_ROW):
            breaker.failed("refused again", None)
        assert told[1:] == [("refused again", 80.0)]

    asyncio.run(scenario())
