"""A judge that is down: nothing hangs, nothing is lost that it could still answer, and few calls are made."""

import asyncio
import time

import pytest
from rewardlab import Ask, JudgeSpec, Reply
from rewardlab.errors import TryAgain
from rewardlab.judging import HostedJudge, outage
from rewardlab.judging import host as hosting
from rewardlab.judging.outage import Outage
from rewardlab.loops import LoopThread
from rewardlab.uses import JudgeUse

YES = Reply(text="yes")


@pytest.fixture
def home():
    thread = LoopThread("home")
    yield thread
    thread.close()


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(hosting, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(outage, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(outage, "LONGEST_PAUSE_S", 0.1)


class Judge:
    """Is down while `down` is set: "refuses", "hangs", or a number, the seconds that it asks to wait for."""

    def __init__(self, down=None):
        self.down, self.calls, self.under_way, self.most_under_way = down, [], 0, 0

    async def ask(self, ask):
        self.calls.append(time.monotonic())
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(3600 if self.down == "hangs" else 0.001)
        finally:
            self.under_way -= 1
        if self.down == "refuses":
            raise ConnectionError("refused")
        if self.down is not None:
            raise TryAgain("is busy", after=self.down)
        return YES


@pytest.fixture
def host(home):
    def hosted(judge, **settings):
        spec = JudgeSpec(name="made", summary="made", build=lambda *_: judge)
        use = JudgeUse.model_validate({"use": "test/made", "timeout": 0.4, **settings})
        return HostedJudge("main", judge, spec, use, home)

    return hosted


def asked(home, hosted, count, after=()):
    """(replies to so many questions at once, seconds). `after`: (seconds, what to do then)."""

    async def scenario():
        for seconds, action in after:
            asyncio.get_running_loop().call_later(seconds, action)
        return await asyncio.gather(*(hosted.ask(Ask(draw=draw)) for draw in range(count)))

    begin = time.monotonic()
    return home.run(asyncio.wait_for(scenario(), 20)), time.monotonic() - begin


class TestDeadFromTheStart:
    @pytest.mark.parametrize("retries", [0, 1, 5, 50])
    @pytest.mark.parametrize("count", [1, 500])
    def test_every_question_fails_soon_with_the_reason(self, home, host, monkeypatch, retries, count):
        monkeypatch.setattr(outage, "FEW_LAST_S", 0.1)
        judge = Judge("refuses")
        replies, seconds = asked(home, host(judge, retries=retries), count)
        assert all("raised ConnectionError: refused" in reply.error for reply in replies)
        assert seconds < 1.5
        assert len(judge.calls) < 120, "questions that wait do not try each for itself"

    @pytest.mark.parametrize("retries", [0, 5])
    def test_also_where_it_hangs_though_few_may_be_asked_at_once(self, home, host, retries):
        judge = Judge("hangs")
        replies, seconds = asked(home, host(judge, retries=retries, concurrency=8, timeout=0.2), 400)
        assert all("gave no answer within 0.2 s" in reply.error for reply in replies)
        assert seconds < 1.2
        assert len(judge.calls) < 40

    def test_also_where_it_asks_to_wait_for_ever(self, home, host):
        judge = Judge(3600.0)
        replies, seconds = asked(home, host(judge), 100)
        assert all("is busy" in reply.error for reply in replies)
        assert seconds < 1.0
        assert len(judge.calls) <= 64 + outage.MOST_IN_A_ROW

    def test_later_questions_fail_at_once(self, home, host):
        hosted = host(Judge("refuses"), timeout=0.2)
        asked(home, hosted, 50)
        replies, seconds = asked(home, hosted, 50)
        assert all(reply.error for reply in replies)
        assert seconds < 0.1


class TestComesBack:
    @pytest.mark.parametrize("down", ["refuses", "hangs", 0.01])
    @pytest.mark.parametrize("retries", [1, 5])
    def test_every_question_gets_its_answer(self, home, host, down, retries):
        judge = Judge(down)
        hosted = host(judge, timeout=0.15 if down == "hangs" else 5, concurrency=16, retries=retries)
        back = (0.25 if down == "hangs" else 0.5, lambda: setattr(judge, "down", None))
        replies, seconds = asked(home, hosted, 300, after=[back])
        assert replies == [YES] * 300
        assert seconds < 1.5

    def test_while_it_is_down_one_question_at_a_time_tries_it(self, home, host):
        judge, counts = Judge("refuses"), []
        hosted = host(judge, timeout=5, concurrency=16)

        def back():
            judge.down = None
            counts.append(len(judge.calls))

        replies, _ = asked(home, hosted, 300, after=[(0.6, back)])
        assert replies == [YES] * 300
        assert counts[0] <= 16 + outage.MOST_IN_A_ROW + 12, (
            "those under way, and trials after 0.02, 0.04, 0.08, 0.1, ... s"
        )
        assert judge.most_under_way <= 16, "nor do all go at once when it is back"

    def test_after_it_had_given_up_the_first_answer_opens_it_for_all(self, home, host):
        judge = Judge("refuses")
        hosted = host(judge, timeout=0.2)
        asked(home, hosted, 50)
        judge.down = None
        time.sleep(0.11)
        assert asked(home, hosted, 1)[0] == [YES]
        assert asked(home, hosted, 50)[0] == [YES] * 50

    def test_it_is_down_again_by_its_next_failures_alone(self, home, host):
        judge = Judge("refuses")
        hosted = host(judge, timeout=5)
        for _ in range(2):
            judge.down = "refuses"
            replies, _ = asked(home, hosted, 30, after=[(0.2, lambda: setattr(judge, "down", None))])
            assert replies == [YES] * 30

    def test_a_failure_now_and_then_is_no_outage(self, home, host):
        judge, numbers = Judge(), iter(range(10_000))
        answer = judge.ask

        async def ask(question):
            if next(numbers) % 3 == 0:
                raise ConnectionError("reset")
            return await answer(question)

        judge.ask = ask
        replies, seconds = asked(home, host(judge, retries=20, concurrency=4), 200)
        assert replies == [YES] * 200
        assert seconds < 1.5


def test_a_server_that_asks_for_a_pause_gets_it(home, host):
    judge = Judge(0.2)
    replies, _ = asked(home, host(judge, retries=1, timeout=5), 1, after=[(0.1, lambda: setattr(judge, "down", None))])
    assert replies == [YES]
    assert judge.calls[1] - judge.calls[0] >= 0.2


class TestBreaker:
    """By itself, with its real pauses, on a clock that the tests move."""

    @pytest.fixture
    def clock(self, monkeypatch):
        class Clock:
            now = 100.0

            def monotonic(self):
                return self.now

        clock = Clock()
        monkeypatch.setattr(outage, "time", clock)
        monkeypatch.setattr(outage, "FIRST_PAUSE_S", 1.0)
        monkeypatch.setattr(outage, "LONGEST_PAUSE_S", 10.0)
        return clock

    @staticmethod
    def opened(patience=80.0, failures=outage.MOST_IN_A_ROW):
        breaker = Outage(patience)
        for _ in range(failures):
            breaker.failed("refused", None)
        return breaker

    def test_pauses_grow_with_every_trial(self, clock):
        async def scenario():
            breaker, pauses, begin = self.opened(), [], clock.now
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

    def test_failures_of_calls_that_were_under_way_do_not_lengthen_them(self, clock):
        async def scenario():
            breaker = self.opened(failures=64)
            clock.now += 1.0
            assert await breaker.turn() is True

        asyncio.run(scenario())

    def test_a_few_failures_open_it_when_they_last(self, clock):
        async def scenario():
            breaker = self.opened(failures=2)
            assert await breaker.turn() is False
            clock.now += outage.FEW_LAST_S
            breaker.failed("refused", None)
            assert breaker.seconds == outage.FEW_LAST_S

        asyncio.run(scenario())

    @pytest.mark.parametrize("when", ["waiting", "chosen", "under way"])
    def test_a_trial_that_is_taken_back_goes_to_the_next_at_once(self, when):
        async def scenario():
            breaker = self.opened()
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

    def test_a_pause_that_the_server_asks_for_counts_up_to_a_limit(self, clock):
        async def scenario():
            breaker = self.opened(patience=1000.0)
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
            clock.now += outage.LONGEST_AFTER_S
            assert await breaker.turn() is True

        asyncio.run(scenario())

    def test_leaves_no_timer_behind(self):
        async def scenario():
            breaker = self.opened()
            waiting = [asyncio.ensure_future(breaker.turn()) for _ in range(3)]
            await asyncio.sleep(0)
            breaker.succeeded()
            assert await asyncio.gather(*waiting) == [False] * 3
            return breaker._timer

        assert asyncio.run(scenario()) is None
