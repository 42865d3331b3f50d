"""ReplyCache that are there already: kept in a cassette, or on their way to somebody else."""

import asyncio
import json
import random

import pytest
from rewardlab import Ask, Config, JudgeSpec, Reply, Score
from rewardlab.errors import JobError, UserError
from rewardlab.judging import reply_cache
from rewardlab.judging.kept_replies import ReplyFiles
from rewardlab.judging.reply_cache import ReplyCache
from rewardlab.judging.settings import JudgingSettings
from rewardlab.recipe.use import CassetteUse
from rewardlab.scoring.scorer import Scorer

IDENTITY = {"model": "large", "params": {}}
QUESTION = Ask(messages=({"role": "user", "content": "Is it?"},))
YES = Reply(text="yes", prompt_tokens=2)


@pytest.fixture
def answers(tmp_path):
    """`answers("record")` with the recipe's cassette in that mode, `answers(kept=True)` with the job's file."""
    opened = []

    def open_them(mode=None, kept=False):
        use = CassetteUse(path=str(tmp_path / "cassette.jsonl"), mode=mode) if mode else None
        opened.append(ReplyCache("main", IDENTITY, use, ReplyFiles(own=tmp_path / "kept.jsonl") if kept else None))
        return opened[-1]

    yield open_them
    for one in opened:
        one.close()


class Calls:
    """Counts calls, each of which gives `reply`."""

    def __init__(self, reply=YES):
        self.count, self._reply = 0, reply

    async def __call__(self, ask):
        self.count += 1
        return self._reply


def get(answers, call, ask=QUESTION):
    return asyncio.run(answers.get(ask, call))


class TestModes:
    def test_record_reuses_and_appends(self, answers, tmp_path):
        call = Calls()
        assert [get(answers("record"), call) for _ in range(2)] == [(YES, False), (YES, True)]
        assert call.count == 1
        assert len((tmp_path / "cassette.jsonl").read_text().splitlines()) == 1

    def test_replay_reuses_and_calls_on_a_miss_and_writes_nothing(self, answers, tmp_path):
        get(answers("record"), Calls())
        there = (tmp_path / "cassette.jsonl").read_bytes()
        replaying, call, other = answers("replay"), Calls(Reply(text="new")), Ask(draw=1)
        assert get(replaying, call) == (YES, True)
        assert [get(replaying, call, other) for _ in range(2)] == [(Reply(text="new"), False)] * 2
        assert (tmp_path / "cassette.jsonl").read_bytes() == there

    def test_replay_keeps_what_is_new_in_the_jobs_own_file(self, answers, tmp_path):
        get(answers("record"), Calls())
        there = (tmp_path / "cassette.jsonl").read_bytes()
        call, other = Calls(Reply(text="new")), Ask(draw=1)
        got = [get(answers("replay", kept=True), call, ask) for ask in (QUESTION, other, other)]
        assert got == [(YES, True), (Reply(text="new"), False), (Reply(text="new"), True)]
        assert (tmp_path / "cassette.jsonl").read_bytes() == there

    def test_strict_makes_no_call(self, answers, tmp_path):
        get(answers("record"), Calls())
        call = Calls()
        assert get(answers("strict", kept=True), call) == (YES, True)
        why = f"judge 'main': the cassette {tmp_path}/cassette.jsonl has no answer to this question"
        assert get(answers("strict"), call, Ask(draw=1)) == (Reply(error=why), False)
        assert call.count == 0
        assert not (tmp_path / "kept.jsonl").exists()

    @pytest.mark.parametrize("mode", ["replay", "strict"])
    def test_others_than_record_need_the_file(self, answers, mode):
        with pytest.raises(UserError, match="there is no such cassette"):
            answers(mode)

    def test_without_a_cassette_the_job_keeps_answers_for_itself(self, answers):
        call = Calls()
        assert [get(answers(kept=True), call)[1] for _ in range(2)] == [False, True]
        assert [get(answers(), call)[1] for _ in range(2)] == [False, False]

    def test_errors_are_never_kept(self, answers, tmp_path):
        call = Calls(Reply(error="refused"))
        assert [get(answers("record"), call) for _ in range(2)] == [(Reply(error="refused"), False)] * 2
        assert (tmp_path / "cassette.jsonl").read_bytes() == b""


class Slow:
    """Calls that answer when they are let; `fail` raises instead."""

    def __init__(self):
        self.under_way, self.count = [], 0

    async def __call__(self, ask):
        self.count += 1
        self.under_way.append(asyncio.get_running_loop().create_future())
        return await self.under_way[-1]


class TestUnderWay:
    """The same question, under way already, is waited for."""

    @staticmethod
    async def asked(answers, call, count, ask=QUESTION):
        asking = [asyncio.create_task(answers.get(ask, call)) for _ in range(count)]
        await asyncio.sleep(0)
        return asking

    def test_is_asked_once(self, answers):
        async def scenario():
            call, one = Slow(), answers()
            asking = await self.asked(one, call, 3)
            other = await self.asked(one, call, 1, Ask(draw=1))
            call.under_way[0].set_result(YES)
            call.under_way[1].set_result(Reply(text="other"))
            assert await asyncio.gather(*asking) == [(YES, False), (YES, True), (YES, True)]
            assert await asyncio.gather(*other) == [(Reply(text="other"), False)]
            assert call.count == 2

        asyncio.run(scenario())

    def test_fails_for_all_who_wait(self, answers):
        async def scenario():
            call = Slow()
            asking = await self.asked(answers(), call, 3)
            call.under_way[0].set_result(Reply(error="down"))
            assert [reply.error for reply, _ in await asyncio.gather(*asking)] == ["down"] * 3
            assert call.count == 1

        asyncio.run(scenario())

    @pytest.mark.parametrize("kept", [False, True])
    def test_goes_on_with_another_where_the_first_gives_up(self, answers, kept):
        async def scenario():
            call = Slow()
            leader, *rest = await self.asked(answers(kept=kept), call, 4)
            leader.cancel()
            await asyncio.sleep(0.01)
            assert call.count == 2, "one of the others asks, the rest wait for it"
            rest.pop(0).cancel()
            await asyncio.sleep(0.01)
            assert call.count == 3
            call.under_way[-1].set_result(YES)
            assert await asyncio.gather(*rest) == [(YES, False), (YES, True)]

        asyncio.run(scenario())

    def test_goes_on_where_one_who_waits_gives_up(self, answers):
        async def scenario():
            call = Slow()
            leader, waiting, other = await self.asked(answers(), call, 3)
            waiting.cancel()
            await asyncio.sleep(0.01)
            call.under_way[0].set_result(YES)
            assert await asyncio.gather(leader, other) == [(YES, False), (YES, True)]
            assert waiting.cancelled()
            assert call.count == 1

        asyncio.run(scenario())

    def test_that_cannot_be_kept_ends_with_an_error_for_everybody(self, answers):
        async def scenario():
            call = Calls(Reply(text="yes", logprobs=object()))
            asking = await self.asked(answers(kept=True), call, 2)
            told = await asyncio.gather(*asking, return_exceptions=True)
            assert all(isinstance(one, JobError) for one in told)

        asyncio.run(scenario())


class Options(Config):
    model: str = "large"
    api_key_env: str = "THE_KEY"


def test_a_replayed_job_makes_no_call_and_gives_the_same_bytes(plan_of, reward, group_of, tmp_path, monkeypatch):
    """Also where answers came in another order; and no file tells a key or a question."""
    monkeypatch.setenv("THE_KEY", "sk-secret")

    class Sampling:
        async def ask(self, ask):
            await asyncio.sleep(random.random() / 100)
            return Reply(text=str(random.random()), logprobs={"a": (1, 2.5)})

    class Unwilling:
        async def ask(self, ask):
            raise AssertionError("a call")

    class Asking:
        def __init__(self, judge):
            self.judge = judge

        async def score(self, items):
            asks = [Ask(messages=({"role": "user", "content": f"a question about {c.text}"},)) for _, c in items]
            replies = await asyncio.gather(*map(self.judge.ask, asks))
            return [Score(value=float(r.text), info={"logprobs": r.logprobs}) for r in replies]

    def scored(judge, mode):
        spec = JudgeSpec(name="made", summary="made", config=Options, build=lambda *_: judge)
        settings = {"retries": 0, "cassette": {"path": str(tmp_path / "c.jsonl"), "mode": mode}}
        asking = reward(None, build=lambda _, context: Asking(context.judges["main"]), runs="async")
        plan = plan_of({"a": asking}, judges={"main": (spec, settings)})
        groups = [group_of(*(f"{i} {j}" for j in range(4)), id=str(i)) for i in range(4)]
        with Scorer(plan, judging=JudgingSettings(folder=tmp_path / f"{mode} {type(judge).__name__}")) as scorer:
            found = scorer.score_groups(groups)
            told = [[one.totals, *(score.info for score in one.components["a"])] for one in found]
            return json.dumps(told), scorer.judges.usage()["main"]

    first, usage = scored(Sampling(), "record")
    assert (usage.calls, usage.reused) == (16, 0)
    for mode in ("replay", "strict", "record"):
        again, usage = scored(Unwilling(), mode)
        assert again == first
        assert (usage.calls, usage.reused) == (0, 16)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"sk-secret" not in written
    assert b"a question about" not in written


class TestUnread:
    """Answers that nobody could read are asked for again by a job that goes on."""

    @staticmethod
    def asked(draws):
        return [Ask(messages=QUESTION.messages, draw=draw) for draw in range(draws)]

    @pytest.mark.parametrize("opened", [{"kept": True}, {"mode": "record"}])
    def test_are_forgotten_and_the_others_stay(self, answers, opened):
        first, texts = answers(**opened), iter(["no", "yes", "no", "maybe"])
        replies = [get(first, Calls(Reply(text=next(texts))), ask)[0] for ask in self.asked(4)]
        first.read(replies[1])
        first.read(replies[3])
        assert first.forget_unread() == 2
        again = answers(**opened)
        found = [get(again, Calls(Reply(text="new")), ask)[0].text for ask in self.asked(4)]
        assert found == ["new", "yes", "new", "maybe"]
        assert [get(answers(**opened), None, ask)[0].text for ask in self.asked(4)] == found

    def test_so_are_those_of_an_earlier_job_and_what_comes_later_is_not_kept(self, answers):
        get(answers(kept=True), Calls(), self.asked(1)[0])
        resumed = answers(kept=True)
        assert get(resumed, None, self.asked(1)[0]) == (YES, True)
        assert resumed.forget_unread() == 1
        get(resumed, Calls(Reply(text="late")), self.asked(2)[1])
        assert [get(answers(kept=True), Calls(Reply(text="new")), ask)[0].text for ask in self.asked(2)] == ["new"] * 2

    def test_are_left_where_they_come_from_a_cassette_that_is_only_read(self, answers, tmp_path):
        get(answers("record"), Calls())
        there = (tmp_path / "cassette.jsonl").read_bytes()
        replaying = answers("replay", kept=True)
        assert get(replaying, None) == (YES, True)
        assert replaying.forget_unread() == 0
        assert (tmp_path / "cassette.jsonl").read_bytes() == there

    def test_are_kept_once_the_judge_is_trusted(self, answers):
        trusted = answers(kept=True)
        get(trusted, Calls())
        trusted.trust()
        assert trusted.forget_unread() == 0
        assert get(answers(kept=True), None) == (YES, True)


class TestUnusable:
    """A reply that its asker could not use is not replayed to a job that goes on."""

    def test_this_job_does_not_ask_again_and_the_next_one_does(self, answers):
        first = answers(kept=True)
        reply, _ = get(first, Calls(Reply(text="garbage")))
        first.unusable(reply)
        assert get(first, Calls()) == (reply, True), "what it says is known, and is not paid for twice"
        first.trust()
        assert get(answers(kept=True), Calls()) == (YES, False)
        assert get(answers(kept=True), None) == (YES, True)

    def test_nor_one_that_an_earlier_job_kept(self, answers):
        get(answers(kept=True), Calls(Reply(text="garbage")))
        resumed = answers(kept=True)
        resumed.unusable(get(resumed, None)[0])
        assert get(answers(kept=True), Calls()) == (YES, False)

    @pytest.mark.parametrize("mode", ["record", "replay", "strict"])
    def test_a_cassette_keeps_it_for_its_replay(self, answers, tmp_path, mode):
        get(answers("record"), Calls(Reply(text="garbage")))
        there = (tmp_path / "cassette.jsonl").read_bytes()
        one = answers(mode, kept=True)
        one.unusable(get(one, None)[0])
        assert (tmp_path / "cassette.jsonl").read_bytes() == there

    def test_a_reply_whose_asker_could_use_it_stays(self, answers):
        first = answers(kept=True)
        first.read(get(first, Calls())[0])
        assert get(answers(kept=True), None) == (YES, True)

    @pytest.mark.parametrize("first_says", ["read", "unusable"])
    def test_one_of_two_askers_who_cannot_use_it_suffices(self, answers, first_says):
        """Both parts of a critique are asked for at once; the one without a score is to be asked for again."""
        first = answers(kept=True)
        reply, _ = get(first, Calls(Reply(text="half")))
        for says in (first_says, {"read": "unusable", "unusable": "read"}[first_says]):
            getattr(first, says)(reply)
        assert get(answers(kept=True), Calls()) == (YES, False)

    def test_only_the_latest_that_were_read_are_remembered(self, answers, monkeypatch):
        monkeypatch.setattr(reply_cache, "MAX_READ", 1)
        first = answers(kept=True)
        replies = [get(first, Calls(), Ask(messages=[{"role": "user", "content": one}]))[0] for one in ("a", "b")]
        for reply in replies:
            first.read(reply)
        assert len(first._read) == 1
