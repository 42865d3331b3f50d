"""A budget is never passed, whatever is under way, fails or is killed; and little of it is left unused."""

import asyncio
import json
import signal
import subprocess
import sys
from textwrap import dedent

import pytest
from helpers.each_case import each_case
from rewardlab import Ask, Config, JudgeSpec, Reply
from rewardlab.errors import JobError, TryAgain
from rewardlab.judging import retries
from rewardlab.judging.budget import MESSAGE_TOKENS, Budget
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.settings import JudgingSettings
from rewardlab.recipe.use import BudgetUse as Limits
from rewardlab.recipe.use import JudgeUse, Price

TEXT = "x" * 68
BOUND = 68 + 2 * MESSAGE_TOKENS + 100
"""of a question with TEXT: its bytes, what a template adds, the longest answer"""


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.001)


class Server:
    """Counts what it is paid. `answer()` gives a reply or raises."""

    def __init__(self, answer=lambda: Reply(text="yes", prompt_tokens=20, completion_tokens=30)):
        self.paid, self.calls, self._answer = 0, 0, answer

    async def ask(self, ask):
        self.calls += 1
        await asyncio.sleep(0.002)
        reply = self._answer()
        self.paid += (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
        return reply


@pytest.fixture
def host(home, tmp_path):
    def hosted(server, budget, **settings):
        spec = JudgeSpec(name="made", summary="made", most_tokens=lambda _: 100, build=lambda *_: server)
        use = JudgeUse.model_validate({"use": "test/made", "retries": 0, "budget": budget, **settings})
        return HostedJudge("main", server, spec, use, home, Config(), JudgingSettings(folder=tmp_path / "judges"))

    return hosted


def question(number, **more):
    return Ask(messages=({"role": "user", "content": TEXT},), draw=number, **more)


def asked(home, hosted, numbers, close=True, **more):
    async def scenario():
        replies = await asyncio.gather(*(hosted.ask(question(number, **more)) for number in numbers))
        if close:
            await hosted.aclose()
        return replies

    return home.run(asyncio.wait_for(scenario(), 20))


class TestBudget:
    @pytest.mark.parametrize("budget", [{"tokens": 2000}, {"usd": 0.002}, {"tokens": 2000, "usd": 1}])
    def test_is_not_passed_and_hardly_left_unused_with_64_questions_under_way(self, home, host, budget):
        server = Server()
        hosted = host(server, budget, price={"prompt": 1, "completion": 1})
        replies = asked(home, hosted, range(300))
        assert 2000 - BOUND <= server.paid <= 2000
        assert sum(reply.error is None for reply in replies) == server.calls == server.paid // 50

    def test_that_is_used_up_ends_the_job_with_what_to_do(self, home, host):
        server = Server()
        hosted = host(server, {"tokens": 300}, concurrency=1)
        replies = asked(home, hosted, range(20))
        told = (
            r"judge 'main': its budget of 300 tokens is used up \(150 spent, and the next question could cost 200\); "
            r"raise judges.main.budget.tokens and go on with --resume \(serve: start it with the same --state\)"
        )
        assert isinstance(hosted.stopped, JobError)
        with pytest.raises(JobError, match=told):
            raise hosted.stopped
        assert {reply.error for reply in replies[3:]} == {str(hosted.stopped)}
        assert server.calls == 3

    def test_that_is_used_up_takes_no_smaller_question_either(self):
        """Which ones are answered does not depend on their lengths."""
        budget = Budget("main", Limits(tokens=3 * BOUND), None, 100)

        async def scenario():
            bound = await budget.hold(question(0))
            budget.settle(bound, Reply(prompt_tokens=2 * BOUND, completion_tokens=1))
            for small in ({}, {"params": {"max_tokens": 1}}):
                with pytest.raises(JobError, match="is used up"):
                    await budget.hold(question(1, **small))

        asyncio.run(scenario())

    def test_of_money_follows_the_price(self, home, host):
        server = Server()
        hosted = host(server, {"usd": 0.012}, price={"prompt": 10, "completion": 100})
        asked(home, hosted, range(20))
        assert server.calls == 1, "0.0032 for the first, and the next could cost 0.011"
        assert "(0.0032 spent, and the next question could cost 0.011)" in str(hosted.stopped)

    def test_counts_the_longest_answer_that_the_question_allows(self, home, host):
        server = Server()
        assert asked(home, host(server, {"tokens": 150}), [0])[0].error is not None
        assert asked(home, host(server, {"tokens": 150}), [0], params={"max_tokens": 20})[0].error is None

    @pytest.mark.parametrize(
        ("answer", "paid"),
        [
            (lambda: Reply(text="yes"), BOUND),  # the server counts nothing
            (lambda: Reply(text="yes", prompt_tokens=7), BOUND),  # or one half
            (lambda: Reply(error="refused", prompt_tokens=7), 7),
            (lambda: Reply(error="refused"), 0),
        ],
    )
    def test_counts_what_nobody_knows_as_its_most(self, home, host, answer, paid):
        server = Server(answer)
        asked(home, host(server, {"tokens": 1000}), range(30))
        assert server.calls == (min(30, (1000 - BOUND) // paid + 1) if paid else 30)

    def test_counts_questions_without_an_answer_in_time_as_their_most(self, home, host):
        class Silent:
            calls = 0

            async def ask(self, ask):
                self.calls += 1
                await asyncio.sleep(3600)

        server = Silent()
        asked(home, host(server, {"tokens": 3 * BOUND}, timeout=0.05), range(6))
        assert server.calls == 3

    def test_gets_back_what_failures_did_not_cost(self, home, host):
        fails = [True] * 7

        def answer():
            if fails:
                fails.pop()
                raise TryAgain("is busy")
            return Reply(text="yes", prompt_tokens=20, completion_tokens=30)

        server = Server(answer)
        replies = asked(home, host(server, {"tokens": 2 * BOUND}, retries=9), range(5))
        assert all(reply.error is None for reply in replies)

    def test_bears_a_question_that_is_taken_back_while_it_waits(self, home, host):
        server = Server()
        hosted = host(server, {"tokens": BOUND + 60})

        async def scenario():
            asking = [asyncio.create_task(hosted.ask(question(number))) for number in range(3)]
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            asking[1].cancel()
            return await asyncio.gather(*asking, return_exceptions=True)

        first, _, third = home.run(asyncio.wait_for(scenario(), 60))
        assert [first.error, third.error] == [None, None]


class TestOverAttempts:
    def test_counts_what_earlier_ones_spent(self, home, host):
        servers = [Server() for _ in range(3)]
        for attempt, server in enumerate(servers):
            asked(home, host(server, {"tokens": 2000}), range(attempt * 100, attempt * 100 + 15))
        assert [server.calls for server in servers] == [15, 15, 7]
        asked(home, host(servers[2], {"tokens": 2500}), range(300, 400))
        assert 2500 - BOUND <= sum(server.paid for server in servers) <= 2500

    def test_counts_what_nobody_knows_there_too(self, home, host):
        servers = [Server(lambda: Reply(text="yes")) for _ in range(2)]
        for attempt, server in enumerate(servers):
            asked(home, host(server, {"tokens": 5 * BOUND}), range(attempt * 100, attempt * 100 + 3))
        assert [server.calls for server in servers] == [3, 2]

    def test_an_answer_that_is_kept_costs_nothing(self, home, host):
        server = Server()
        for _ in range(3):
            replies = asked(home, host(server, {"tokens": 1000}), range(10))
            assert all(reply.error is None for reply in replies)
        assert server.calls == 10

    KILLED = """
        import asyncio, os, signal, sys
        from pathlib import Path
        from rewardlab import Ask, Config, JudgeSpec, Reply
        from rewardlab.judging.hosted_judge import HostedJudge; from rewardlab.judging.settings import JudgingSettings
        from rewardlab.concurrency.threads import LoopThread
        from rewardlab.recipe.use import JudgeUse

        folder, begin, most = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
        paid = os.open(folder / "paid", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        calls = 0

        class Server:
            async def ask(self, ask):
                global calls
                os.write(paid, b"130\\n")  # before it answers, as a server counts
                await asyncio.sleep(0.001)
                calls += 1
                if calls == most:
                    os.kill(os.getpid(), signal.SIGKILL)
                return Reply(text="yes", prompt_tokens=30, completion_tokens=100)

        spec = JudgeSpec(name="made", summary="made", most_tokens=lambda _: 100, build=lambda *_: None)
        use = JudgeUse.model_validate({"use": "t/m", "budget": {"tokens": 20000}})
        hosted = HostedJudge("main", Server(), spec, use, LoopThread("home"), Config(), JudgingSettings(folder=folder))

        async def scenario():
            asks = (Ask(messages=({"role": "user", "content": "x"},), draw=begin + n) for n in range(1000))
            await asyncio.gather(*map(hosted.ask, asks))

        asyncio.run(scenario())
    """

    @pytest.mark.slow
    def test_is_not_passed_by_a_job_that_is_killed_again_and_again(self, tmp_path):
        def attempt(number, most):
            command = [sys.executable, "-c", dedent(self.KILLED), tmp_path, number * 1000, most]
            return subprocess.run([*map(str, command)], timeout=60).returncode

        assert [attempt(number, 15) for number in range(2)] == [-signal.SIGKILL] * 2
        assert attempt(9, 10_000) == 0
        paid = sum(map(int, (tmp_path / "paid").read_text().split()))
        assert 20_000 / 3 <= paid <= 20_000


def test_is_saved_before_it_is_spent_and_seldom():
    saved = []
    budget = Budget("main", Limits(tokens=100_000), None, 100, None, lambda amounts: saved.append(amounts["tokens"]))

    async def scenario():
        for number in range(1000):
            bound = await budget.hold(question(number))
            assert budget.at_most()["tokens"] <= saved[-1] <= 100_000
            budget.settle(bound, Reply(text="yes", prompt_tokens=40, completion_tokens=50))

    asyncio.run(scenario())
    assert len(saved) <= 101


def test_where_nothing_is_under_way_nobody_waits_for_it():
    """Though sums of money are not exact."""
    budget = Budget("main", Limits(usd=0.1), Price(prompt=0.1, completion=0.7), 100)
    each = (100 * 0.1 + 100 * 0.7) / 1e6

    async def scenario():
        count = 0
        with pytest.raises(JobError, match="is used up"):
            while True:
                together = 3 if count * each < 0.099 else 1
                bounds = [await asyncio.wait_for(budget.hold(question(n)), 60) for n in range(together)]
                for bound in bounds:
                    budget.settle(bound, Reply(prompt_tokens=bound[0], completion_tokens=bound[1]))
                    count += 1
        return count

    assert asyncio.run(scenario()) == pytest.approx(0.1 / each, abs=3)


def test_what_was_saved_is_read_as_it_was_written(home, host, tmp_path):
    asked(home, host(Server(), {"tokens": 1000}), range(2))
    content = json.loads((tmp_path / "judges" / "main.usage.json").read_text())
    assert (content["calls"], content["at_most"]) == (2, {"tokens": 100.0})


@each_case(
    "prices, reads, writes, usd",
    [
        ({}, 0, 0, 1000 * 2 + 10 * 9),
        ({}, 600, 300, 1000 * 2 + 10 * 9),
        ({"cache_read": 0.5}, 600, 300, 400 * 2 + 600 * 0.5 + 10 * 9),
        ({"cache_write": 2.5}, 600, 300, 700 * 2 + 300 * 2.5 + 10 * 9),
        ({"cache_read": 0.0, "cache_write": 2.5}, 600, 400, 400 * 2.5 + 10 * 9),
        ({"cache_read": 0.5}, None, None, 1000 * 2 + 10 * 9),
    ],
)
def test_a_reply_costs_what_the_servers_cache_had_and_was_given_at_their_prices(prices, reads, writes, usd):
    price = Price(prompt=2, completion=9, **prices)
    reply = Reply(prompt_tokens=1000, completion_tokens=10, cache_read_tokens=reads, cache_write_tokens=writes)
    assert price.of(reply) == pytest.approx(usd / 1e6)
    assert price.of(reply) <= price.cost(1000, 10)


def test_a_budget_pays_for_a_reply_what_it_cost_and_for_a_lost_one_the_most(home):
    async def spent():
        budget = Budget("main", Limits(usd=1), Price(prompt=2, completion=9, cache_read=0, cache_write=4), 100)
        bounds = [await budget.hold(question(n)) for n in range(2)]
        held = budget.at_most()["usd"]
        budget.settle(bounds[0], Reply(prompt_tokens=50, completion_tokens=7, cache_read_tokens=50))
        budget.settle(bounds[1], None, unknown=True)
        return held, budget.spent["usd"]

    most = (100 * 4 + 100 * 9) / 1e6
    assert home.run(spent()) == (pytest.approx(2 * most), pytest.approx(most + 7 * 9 / 1e6))
