"""A judge's limits on loan: many scorers, some of which are killed, ask one judge through one lender."""

import asyncio
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from helpers import shared_job
from helpers.shared_job import ANSWER_TOKENS, PROMPT_TOKENS, Clock, Job
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewardlab import Ask
from rewardlab.judging.usage import Usage
from rewardlab.recipe.use import BudgetUse, JudgeUse
from rewardlab_leases.judge_lender import JudgeLenders
from rewardlab_leases.lease_messages import LeaseReport
from rewardlab_leases.leased_limits import LeasedTurns
from rewardlab_leases.permit_lender import PermitLender

MINUTE = 60.0
QUESTION = Ask(messages=({"role": "user", "content": "x"},))
SOME = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
kills = st.lists(st.tuples(st.floats(0.1, 8.0), st.integers(-1, 3)), max_size=4)
"""(seconds after the last one, whom: -1 is the lender)"""


@pytest.fixture
def on_clock(monkeypatch):
    """Run a job on a clock of its own: `on_clock(use, work, count=4)`; `work(job)` is a coroutine function."""
    clocks = []

    def of_job(use, work, count=4, seed=0, seconds=3600.0, **more):
        clock = Clock()
        clocks.append(clock)
        for module in shared_job.TIMED:
            monkeypatch.setattr(module, "time", clock)

        async def whole(folder):
            job = Job(clock, Path(folder), use, count, seed, **more)
            await job.start()
            await work(job)
            return job, await job.close()

        with TemporaryDirectory() as folder:
            return clock.run_until_complete(asyncio.wait_for(whole(folder), seconds))

    yield of_job
    for clock in clocks:
        while left := asyncio.all_tasks(clock):
            for task in left:
                task.cancel()
            clock.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        clock.close()


async def killing(job, kills):
    for pause, whom in kills:
        await asyncio.sleep(pause)
        await (job.kill_lender() if whom < 0 else job.kill_scorer(whom % job.count))


async def asked(job, questions, kills=()):
    """Have the scorers ask in turn, while some are killed; return the replies."""
    work = [job.ask(number % job.count, question) for number, question in enumerate(questions)]
    replies, _ = await asyncio.gather(asyncio.gather(*work), killing(job, kills))
    return replies


def most_within_a_minute(times):
    return max(sum(begin <= one < begin + MINUTE for one in times) for begin in times)


def asked_once(server):
    return all(count - server.lost[question] <= 1 for question, count in server.asked.items())


@pytest.mark.slow
@SOME
@given(kills=kills, seed=st.integers(0, 9), concurrency=st.integers(1, 12))
def test_no_more_questions_are_under_way_than_allowed_and_each_is_paid_once(on_clock, kills, seed, concurrency):
    questions = [f"question {number % 150}" for number in range(200)]

    async def work(job):
        replies = await asked(job, questions, kills)
        assert [reply.text for reply in replies] == [f"yes to {question}" for question in questions]

    job, lent = on_clock(JudgeUse(use="test/made", concurrency=concurrency), work, seed=seed)
    assert job.server.most <= concurrency
    assert asked_once(job.server)
    assert lent == 0


@pytest.mark.slow
@SOME
@given(kills=kills, seed=st.integers(0, 9), limit=st.sampled_from([30, 120, 1200]))
def test_no_minute_has_more_requests_than_allowed(on_clock, kills, seed, limit):
    async def work(job):
        replies = await asked(job, [f"{number}" for number in range(min(200, 3 * limit))], kills)
        assert not any(reply.error for reply in replies)

    job, _ = on_clock(JudgeUse(use="test/made", requests_per_minute=limit), work, seed=seed)
    assert most_within_a_minute(job.server.sent) <= limit


@SOME
@given(kills=kills, seed=st.integers(0, 9), tokens=st.integers(200, 3000))
@pytest.mark.slow
def test_a_budget_is_never_passed(on_clock, kills, seed, tokens):
    async def work(job):
        await asked(job, [f"{number}" for number in range(200)], kills)

    use = JudgeUse(use="test/made", concurrency=8, budget=BudgetUse(tokens=tokens))
    job, _ = on_clock(use, work, seed=seed)
    assert job.server.tokens <= tokens


class TestWithoutKills:
    def test_a_budget_is_hardly_left_unused(self, on_clock):
        async def work(job):
            replies = await asked(job, [f"{number}" for number in range(400)])
            assert any("its budget of 2000 tokens is used up" in (reply.error or "") for reply in replies)

        use = JudgeUse(use="test/made", concurrency=16, budget=BudgetUse(tokens=2000))
        job, _ = on_clock(use, work)
        bound = 3 + 2 * 16 + 8
        assert 2000 - bound - PROMPT_TOKENS - ANSWER_TOKENS <= job.server.tokens <= 2000

    @pytest.mark.slow
    @pytest.mark.parametrize("limit", [60, 600])
    def test_a_rate_is_reached(self, on_clock, limit):
        async def work(job):
            await asked(job, [f"{number}" for number in range(3 * limit)])

        job, _ = on_clock(JudgeUse(use="test/made", requests_per_minute=limit, concurrency=500), work)
        seconds = job.server.sent[-1] - job.server.sent[0]
        assert 3 * MINUTE * 0.95 < seconds < 3 * MINUTE * 1.08

    def test_tokens_a_minute_hold_for_questions_larger_than_a_second_brings(self, on_clock):
        async def work(job):
            await asked(job, ["x" * 600 + f"{number}" for number in range(20)])

        job, _ = on_clock(JudgeUse(use="test/made", tokens_per_minute=2000), work)
        times = job.server.sent
        assert most_within_a_minute(times) <= 2000 // (PROMPT_TOKENS + ANSWER_TOKENS)
        assert len(times) == 20

    def test_one_busy_scorer_has_all_places_that_the_others_do_not_use(self, on_clock):
        async def work(job):
            await asyncio.gather(*(job.ask(0, f"{number}") for number in range(200)))

        job, _ = on_clock(JudgeUse(use="test/made", concurrency=20), work)
        assert job.server.most == 20

    def test_places_are_divided_while_all_are_busy(self, on_clock):
        first = Counter()

        async def one(job, number, question):
            await job.ask(number, question)
            first[number] += 1

        async def work(job):
            work = [one(job, number, f"{number} {n}") for n in range(100) for number in range(4)]
            asking = asyncio.gather(*work)
            await asyncio.sleep(10.0)
            counted = dict(first)
            await asking
            assert min(counted.values()) > 0.6 * max(counted.values())

        on_clock(JudgeUse(use="test/made", concurrency=8), work)

    def test_one_place_goes_round(self, on_clock):
        async def work(job):
            done, _ = await asyncio.wait(
                [asyncio.ensure_future(job.ask(n, f"{n} {i}")) for n in range(4) for i in range(5)], timeout=600
            )
            assert len(done) == 20

        job, _ = on_clock(JudgeUse(use="test/made", concurrency=1), work)
        assert job.server.most == 1


def test_a_turn_that_is_used_too_late_has_lapsed(on_clock):
    async def work(job):
        turns = LeasedTurns(True, lambda: None)
        going = asyncio.ensure_future(turns.turn(QUESTION))
        await asyncio.sleep(0)
        turns.take(1, 1000.0, until=job.clock.now - 0.1)  # this process was held up
        await asyncio.sleep(0.1)
        assert not going.done()
        assert turns.wanted, "it waits for another"
        turns.take(1, 1000.0, until=job.clock.now + 1.0)
        await going

    on_clock(JudgeUse(use="test/made"), work)


def test_permits_that_others_want_come_back_when_their_questions_are_over():
    lender = PermitLender(4)
    assert lender.exchange("a", 0, 10) == (4, 4)
    assert lender.exchange("b", 0, 10) == (0, 2)
    assert lender.exchange("a", 4, 10) == (4, 2), "it keeps two, as soon as it can"
    assert lender.exchange("a", 2, 10) == (2, 2)
    assert lender.exchange("b", 0, 10) == (2, 2)
    lender.forget("a")
    assert lender.exchange("b", 2, 10) == (4, 4)


class TestRestarts:
    def test_scorers_go_on_asking_while_there_is_no_lender(self, on_clock):
        async def work(job):
            asking = asyncio.gather(*(job.ask(n % 4, f"{n}") for n in range(400)))
            await asyncio.sleep(2.0)
            job.lender.kill()
            before = len(job.server.sent)
            await asyncio.sleep(5.0)
            assert len(job.server.sent) > before + 50
            await job.kill_lender()
            await asking

        on_clock(JudgeUse(use="test/made", concurrency=8), work)

    def test_counts_are_whole_after_a_restart_of_the_lender(self, on_clock):
        async def work(job):
            await asked(job, [f"{number}" for number in range(40)])
            await asyncio.sleep(2.0)  # saved at most once a second
            await job.kill_lender()
            await asked(job, [f"and {number}" for number in range(40)])

        job, _ = on_clock(JudgeUse(use="test/made"), work)
        assert job.lender.lenders["main"].usage.calls == 80


def test_usage_of_earlier_attempts_is_known_to_whoever_goes_on_within_one(tmp_path):
    """A coordinator that is restarted belongs to the attempt of the one that was lost."""
    judge = SimpleNamespace(use=JudgeUse(use="mine/chat"))

    def lenders(process, calls, restarted):
        opened = JudgeLenders.open({"main": judge}, tmp_path, 1, restarted)
        opened.exchange((0, process), {"main": LeaseReport(permits=0, wanted=0, usage=Usage(calls=calls))})
        opened.close()
        return opened.summary()

    assert lenders("a", 10, restarted=False) == ["judge main: 10 calls, 0 tokens"]
    assert lenders("b", 1, restarted=True) == ["judge main: 11 calls, 0 tokens"]
    before = "0 tokens (earlier attempts: 11 calls, 0 tokens)"
    assert lenders("c", 2, restarted=False) == [f"judge main: 2 calls, {before}"]
    assert lenders("d", 3, restarted=True) == [f"judge main: 5 calls, {before}"]
