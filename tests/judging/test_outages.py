"""A judge that is down: nothing hangs, nothing is lost that it could still answer, and few calls are made."""

import asyncio

import pytest
from helpers.clock import clock_home
from rewardlab import Ask, JudgeSpec, Reply
from rewardlab.errors import TryAgain
from rewardlab.judging import circuit_breaker, rate_limit, retries
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.recipe.use import JudgeUse

YES = Reply(text="yes")


@pytest.fixture
def home():
    with clock_home(circuit_breaker, rate_limit, retries) as home:
        yield home


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(retries, "PATIENCE_A_RETRY_S", 0.0)
    monkeypatch.setattr(circuit_breaker, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(circuit_breaker, "MAX_PAUSE_S", 0.1)


class Judge:
    """Is down while `down` is set: "refuses", "hangs", or a number, the seconds that it asks to wait for."""

    def __init__(self, down=None):
        self.down, self.calls, self.draws, self.under_way, self.most_under_way = down, [], [], 0, 0

    async def ask(self, ask):
        self.calls.append(asyncio.get_running_loop().time())
        self.draws.append(ask.draw)
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

    begin = home.loop.time()
    return home.run(asyncio.wait_for(scenario(), 20)), home.loop.time() - begin


class TestDeadFromTheStart:
    @pytest.mark.parametrize("retries", [0, 5, 50])
    @pytest.mark.parametrize("count", [1, 500])
    def test_every_question_fails_soon_with_the_reason(self, home, host, monkeypatch, retries, count):
        monkeypatch.setattr(circuit_breaker, "FEW_LAST_S", 0.1)
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
        assert len(judge.calls) <= 64 + circuit_breaker.MAX_CONSECUTIVE

    def test_also_where_only_few_a_minute_may_be_asked(self, home, host):
        judge = Judge("refuses")
        replies, seconds = asked(home, host(judge, requests_per_minute=600), 100)
        assert all("raised ConnectionError: refused" in reply.error for reply in replies)
        assert seconds < 1.5
        assert len(judge.calls) < 30

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
        assert counts[0] <= 16 + circuit_breaker.MAX_CONSECUTIVE + 12, (
            "those under way, and trials after 0.02, 0.04, 0.08, 0.1, ... s"
        )
        assert judge.most_under_way <= 16, "nor do all go at once when it is back"

    def test_where_no_other_try_is_wanted_no_question_is_asked_twice(self, home, host):
        judge = Judge("refuses")
        back = (0.2, lambda: setattr(judge, "down", None))
        replies, _ = asked(home, host(judge, retries=0, timeout=5, concurrency=16), 100, after=[back])
        assert sum(reply == YES for reply in replies) > 60
        assert len(set(judge.draws)) == len(judge.draws)

    def test_a_question_that_tries_it_and_is_taken_back_holds_up_nobody(self, home, host, monkeypatch):
        monkeypatch.setattr(circuit_breaker, "MAX_PAUSE_S", 10.0)
        judge = Judge("refuses")
        hosted = host(judge, timeout=80, concurrency=8, retries=3)

        async def until(holds):
            while not holds():
                await asyncio.sleep(0.001)

        async def scenario():
            asking = {draw: asyncio.create_task(hosted.ask(Ask(draw=draw))) for draw in range(8)}
            await until(lambda: len(judge.calls) == 8 and not judge.under_way)
            judge.down = "hangs"
            await until(lambda: judge.under_way)
            judge.down = None
            asking.pop(judge.draws[-1]).cancel()
            return await asyncio.gather(*asking.values())

        assert home.run(asyncio.wait_for(scenario(), 3)) == [YES] * 7

    def test_after_it_had_given_up_the_first_answer_opens_it_for_all(self, home, host):
        judge = Judge("refuses")
        hosted = host(judge, timeout=0.2)
        asked(home, hosted, 50)
        judge.down = None
        home.run(asyncio.sleep(0.11))
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


@pytest.mark.parametrize(("retries", "timeout", "patience"), [(5, 2, 60.0), (1, 2, 12.0), (1, 30, 30.0), (0, 2, 2.0)])
def test_a_judge_is_waited_for_as_its_retries_and_timeout_say(host, monkeypatch, retries, timeout, patience):
    from rewardlab.judging import retries as module

    monkeypatch.setattr(module, "PATIENCE_A_RETRY_S", 12.0)
    made = []
    monkeypatch.setattr(module, "CircuitBreaker", lambda patience, *told: made.append(patience))
    host(Judge("refuses"), retries=retries, timeout=timeout)
    assert made == [patience]
