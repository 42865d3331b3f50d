"""What the host adds around any judge."""

import asyncio
import threading
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from helpers.clock import Clock
from helpers.give_up import give_up
from rewardlab import Ask, JudgeSpec, Reply, Score
from rewardlab.errors import UserError
from rewardlab.judging import retries
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.judges import Judges
from rewardlab.recipe.use import JudgeUse
from rewardlab.scoring.scorer import Scorer

QUESTION = Ask(messages=({"role": "user", "content": "Is it?"},), parts={"a": "yes"}, draw=2)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(retries, "PATIENCE_A_RETRY_S", 0.0)


class Judge:
    """Gives what the function gives; remembers what it was asked."""

    def __init__(self, answer):
        self.asked = []
        self._answer = answer

    async def ask(self, ask):
        self.asked.append(ask)
        answer = self._answer()
        return await answer if asyncio.iscoroutine(answer) else answer


@pytest.fixture
def host(home):
    """A judge as rewards see it."""

    def hosted(judge, local=False, **settings):
        spec = JudgeSpec(name="made", summary="made", local=local, build=lambda *_: judge)
        use = JudgeUse.model_validate({"use": "test/made", **settings})
        return HostedJudge("main", judge, spec, use, home)

    return hosted


def ask(hosted, question=QUESTION):
    return asyncio.run(asyncio.wait_for(hosted.ask(question), 60))


def test_question_and_reply_pass_through_as_they_are(host):
    reply = Reply(text="  \\boxed{A}\n", reasoning="", logprobs=[1], prompt_tokens=3, completion_tokens=0)
    judge = Judge(lambda: reply)
    assert ask(host(judge)) is reply
    assert judge.asked == [QUESTION]


class TestTries:
    def failing(self, times, error=ConnectionError):
        """A judge that fails a number of times before it answers."""
        left = [times]

        def answer():
            left[0] -= 1
            if left[0] >= 0:
                raise error(f"{left[0]} left")
            return Reply(text="yes")

        return Judge(answer)

    def test_are_repeated_after_a_failure(self, host):
        judge = self.failing(3)
        assert ask(host(judge, retries=3)) == Reply(text="yes")
        assert judge.asked == [QUESTION] * 4

    def test_end_in_a_reply_that_says_why_there_is_no_answer(self, host):
        judge = self.failing(9)
        told = "judge 'main' raised ConnectionError: 6 left, 3 tries"
        assert ask(host(judge, retries=2)) == Reply(error=told)
        assert len(judge.asked) == 3

    def test_go_on_beyond_their_number_until_their_time_is_over(self, host, monkeypatch):
        monkeypatch.setattr(retries, "PATIENCE_A_RETRY_S", 60.0)
        judge = self.failing(7)
        assert ask(host(judge, retries=2)) == Reply(text="yes")
        assert len(judge.asked) == 8

    def test_are_not_repeated_where_the_recipe_or_the_judge_says_so(self, host):
        for settings in ({"retries": 0}, {"local": True}):
            judge = self.failing(1)
            assert ask(host(judge, **settings)) == Reply(error="judge 'main' raised ConnectionError: 0 left")
            assert len(judge.asked) == 1

    def test_are_repeated_after_growing_pauses_that_hold_no_place(self, host, monkeypatch):
        monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.2)
        times = []

        class Choosy:
            async def ask(self, ask):
                if ask is not QUESTION:
                    return Reply(text="quick")
                times.append(asyncio.get_running_loop().time())
                raise ConnectionError

        hosted = host(Choosy(), retries=2, concurrency=1)

        async def scenario():
            failing = asyncio.create_task(hosted.ask(QUESTION))
            while len(times) < 2:
                await asyncio.sleep(0.001)
            assert await hosted.ask(Ask()) == Reply(text="quick")
            assert len(times) == 2
            await failing

        with asyncio.Runner(loop_factory=Clock) as runner:
            monkeypatch.setattr(retries, "time", runner.get_loop())
            runner.run(scenario())
        pauses = [after - before for before, after in pairwise(times)]
        assert all(pause >= least for pause, least in zip(pauses, (0.1, 0.2), strict=True))

    def test_a_reply_with_an_error_is_the_judges_last_word(self, host):
        judge = Judge(lambda: Reply(error="refused: policy"))
        assert ask(host(judge, retries=5)) == Reply(error="refused: policy")
        assert len(judge.asked) == 1


class TestWhatAJudgeDoesWrong:
    """is a reply with an error that names the judge, and never an exception of the reward that asked."""

    class Wordless(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    @pytest.mark.parametrize(
        ("error", "told"),
        [
            (ValueError("out\nof order"), "raised ValueError: out of order"),
            (TimeoutError("read timed out"), "raised TimeoutError: read timed out"),
            (asyncio.CancelledError(), "raised CancelledError"),
            (SystemExit(3), "raised SystemExit: 3"),
            (GeneratorExit(), "raised GeneratorExit"),
            (Wordless(), "raised Wordless: its text cannot be read: RuntimeError"),
        ],
    )
    def test_raising(self, host, error, told):
        def answer():
            raise error

        hosted = host(Judge(answer), retries=1)
        assert ask(hosted) == Reply(error=f"judge 'main' {told}, 2 tries")
        assert ask(hosted).error is not None, "the judge's loop has ended"

    @pytest.mark.parametrize(
        ("answer", "told"),
        [
            (None, "returned NoneType, not a Reply"),
            ("yes", "returned str, not a Reply"),
            ({"text": "yes"}, "returned dict, not a Reply"),
            (Reply(text=None), "returned a text that is NoneType, not str"),
        ],
    )
    def test_answering_what_is_no_reply(self, host, answer, told):
        judge = Judge(lambda: answer)
        assert ask(host(judge)) == Reply(error=f"judge 'main' {told}")
        assert len(judge.asked) == 1, "another try cannot mend a judge"

    def test_answering_at_once(self, host):
        class Hasty:
            def ask(self, ask):
                return Reply(text="yes")

        told = "judge 'main' has an `ask` that is not a coroutine function; write `async def ask`"
        assert ask(host(Hasty())) == Reply(error=told)

    def test_taking_too_long(self, host):
        judge = Judge(lambda: asyncio.sleep(3600))
        assert ask(host(judge, timeout=0.05, retries=1)) == Reply(
            error="judge 'main' gave no answer within 0.05 s, 2 tries"
        )
        assert len(judge.asked) == 2


def test_the_time_limit_begins_when_the_question_is_asked(host):
    async def answer():
        await asyncio.sleep(0.05)
        return Reply(text="yes")

    hosted = host(Judge(answer), timeout=0.3, retries=0, concurrency=1)

    async def scenario():
        return await asyncio.gather(*(hosted.ask(replace(QUESTION, draw=draw)) for draw in range(8)))

    assert asyncio.run(scenario()) == [Reply(text="yes")] * 8


def test_no_more_questions_at_once_than_the_recipe_says_whoever_asks(host):
    under_way, most = 0, 0

    async def answer():
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return Reply(text="yes")

    hosted = host(Judge(answer), concurrency=3)
    replies = []

    async def ask_many(draws):
        replies.extend(await asyncio.gather(*(hosted.ask(replace(QUESTION, draw=draw)) for draw in draws)))

    asking = [threading.Thread(target=asyncio.run, args=(ask_many(d),)) for d in (range(10), range(10, 20))]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(60)
    assert replies == [Reply(text="yes")] * 20
    assert most == 3


def test_who_gives_up_takes_the_question_back(host):
    cancelled = threading.Event()

    async def answer():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    judge = Judge(answer)

    asyncio.run(give_up(host(judge).ask(QUESTION), lambda: judge.asked))
    assert cancelled.wait(60)
    time.sleep(0.02)
    assert len(judge.asked) == 1, "a cancelled question is not asked again"


def test_judges_are_known_by_the_names_of_the_recipe(host):
    judges = Judges({"main": host(Judge(Reply)), "small": host(Judge(Reply))})
    assert (list(judges), len(judges), "main" in judges, "mian" in judges) == (
        ["main", "small"],
        2,
        True,
        False,
    )
    for look_up in (judges.__getitem__, judges.get):
        with pytest.raises(UserError, match=r"no judge 'mian'; did you mean 'main'\?"):
            look_up("mian")
    with pytest.raises(UserError, match="no judge 'main'; there is none"):
        Judges({})["main"]


@pytest.mark.parametrize("runs", ["inline", "thread", "async"])
def test_rewards_ask_from_wherever_they_run(plan_of, reward, group_of, runs):
    judge = Judge(lambda: Reply(text="yes"))
    spec = JudgeSpec(name="made", summary="made", local=True, build=lambda options, context: judge)

    class Asking:
        def __init__(self, judges):
            self.judges = judges

        async def score(self, stream):
            scores = [None] * stream.size
            async for index, completion in stream:
                name = "main" if completion.text != "typo" else "mian"
                reply = await self.judges[name].ask(Ask(parts={"a": completion.text}))
                scores[index] = Score(value=float(reply.text == "yes"))
            return scores

    asking = reward(None, build=lambda options, context: Asking(context.judges), scope="group", runs=runs)
    plan = plan_of({"a": asking}, judges={"main": (spec, {})}, policies={"a": {"on_missing": 0}})
    with Scorer(plan) as scorer:
        asked, typo = scorer.score_groups([group_of("a", "b", id="1"), group_of("typo", id="2")])
    assert asked.totals == [1.0, 1.0]
    assert sorted(question.parts["a"] for question in judge.asked) == ["a", "b"]
    assert typo.components["a"][0].error.startswith("UserError: no judge 'mian'; did you mean 'main'?")


def test_a_judge_that_fails_is_no_low_score(plan_of, reward, group_of):
    """The recipe says what an outage means; a reward passes the error on."""

    def outage():
        raise ConnectionError("no route to host")

    spec = JudgeSpec(name="made", summary="made", build=lambda options, context: Judge(outage))

    class Asking:
        def __init__(self, judge):
            self.judge = judge

        async def score(self, items):
            replies = await asyncio.gather(*(self.judge.ask(Ask(parts={"a": c.text})) for _, c in items))
            return [Score(error=r.error) if r.error else Score(value=1.0) for r in replies]

    asking = reward(None, build=lambda options, context: Asking(context.judges["main"]), runs="async")
    policies = {"a": {"on_missing": "zero_advantage"}}
    with Scorer(plan_of({"a": asking}, judges={"main": (spec, {"retries": 1})}, policies=policies)) as scorer:
        [scored] = scorer.score_groups([group_of("a", "b")])
    assert scored.totals == [None, None]
    told = "judge 'main' raised ConnectionError: no route to host, 2 tries"
    assert [score.error for score in scored.components["a"]] == [told] * 2
