"""The circuit breaker by itself, with its real pauses, on a clock that the tests move."""

import asyncio
import heapq
import math
import random

import pytest
from rewardlab.judging import circuit_breaker
from rewardlab.judging.circuit_breaker import CircuitBreaker


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(circuit_breaker, "time", clock)
    return clock


def opened(patience=80.0, failures=circuit_breaker.MAX_CONSECUTIVE):
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
            clock.now += 4.0 / circuit_breaker.MIN_TRIALS
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
        assert await asyncio.wait_for(second, 60) is True

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
        clock.now += circuit_breaker.MAX_AFTER_S
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
        for _ in range(3 * circuit_breaker.MAX_CONSECUTIVE):
            breaker.failed("refused", None)
        assert told == [("refused", 80.0)]
        breaker.succeeded()
        for _ in range(circuit_breaker.MAX_CONSECUTIVE):
            breaker.failed("refused again", None)
        assert told[1:] == [("refused again", 80.0)]

    asyncio.run(scenario())


class TestMixedFaults:
    """Calls of which a share fails at once, or hangs until its timeout, while the judge answers all others."""

    CALLS, LATENCY_S = 14_000, 0.05

    @pytest.fixture
    def openings(self, clock):
        """Count how often the breaker opens: `openings(share, slots, timeout)`; an outage ends at its first trial."""

        def counted(share, slots, timeout, seed=0):
            chance, opened = random.Random(seed), []
            breaker = CircuitBreaker(80.0, lambda why, seconds: opened.append(clock.now))
            under_way = []  # (end, number, sent, whether it was answered)
            for number in range(self.CALLS):
                if len(under_way) == slots:
                    clock.now, _, sent, fine = heapq.heappop(under_way)
                    breaker.succeeded() if fine else breaker.failed("failed", None, sent=sent)
                    if breaker.is_open:
                        breaker.succeeded()
                fine = chance.random() >= share
                takes = self.LATENCY_S * chance.uniform(0.5, 1.5)
                if not fine and chance.random() < 0.2:
                    takes = timeout
                heapq.heappush(under_way, (clock.now + takes, number, clock.now, fine))
            return len(opened)

        return counted

    @pytest.mark.parametrize("slots", [1, 4, 64])
    @pytest.mark.parametrize("timeout", [0.5, 2.0])
    @pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
    def test_are_no_outage(self, openings, share, slots, timeout):
        assert openings(share, slots, timeout) == 0

    def test_would_be_taken_for_one_by_their_number_alone(self, openings, monkeypatch):
        monkeypatch.setattr(circuit_breaker, "CHANCE", 1.0)
        monkeypatch.setattr(circuit_breaker, "FRESH_S", -math.inf)
        assert openings(0.2, 1, 2.0) > 3

    @pytest.mark.parametrize(("share", "most"), [(0.0, 8), (0.2, 12), (0.4, 20)])
    def test_make_an_outage_after_them_known_a_few_calls_later(self, clock, share, most):
        chance, breaker = random.Random(1), CircuitBreaker(80.0)
        for _ in range(200):
            clock.now += self.LATENCY_S
            breaker.succeeded() if chance.random() >= share else breaker.failed("busy", None, sent=clock.now)
        assert not breaker.is_open
        breaker.succeeded()
        calls = 0
        while not breaker.is_open:
            calls += 1
            clock.now += self.LATENCY_S
            breaker.failed("refused", None, sent=clock.now)
        assert calls <= most

    def test_timeouts_that_end_together_right_after_an_answer_are_no_outage(self, clock):
        breaker = CircuitBreaker(80.0)
        sent = clock.now
        clock.now += 0.9
        breaker.succeeded()
        clock.now = sent + 1.0
        for _ in range(64):
            breaker.failed("gave no answer", None, sent=sent)
        assert not breaker.is_open

    def test_a_judge_that_hangs_is_down_as_soon_as_its_answers_are_old(self, clock):
        breaker = CircuitBreaker(80.0)
        sent = clock.now
        clock.now += 1.0
        breaker.succeeded()
        clock.now = sent + 60.0
        for _ in range(circuit_breaker.MAX_CONSECUTIVE):
            breaker.failed("gave no answer", None, sent=sent)
        assert breaker.is_open
