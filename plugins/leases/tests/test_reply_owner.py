"""Kept replies that several owners share: who asks, what is kept where, and what a job with other owners finds."""

import asyncio
import json

import pytest
from rewardlab import Ask, Config, JudgeSpec, Reply
from rewardlab.errors import JobError, UserError
from rewardlab.judging.cassette import question_key
from rewardlab.plan.component import Component
from rewardlab.recipe.use import CassetteUse, JudgeUse
from rewardlab_leases.reply_owner import ReplyOwner, owner_of
from rewardlab_leases.shared_replies import ReplyLine, SharedReplies

SPEC = JudgeSpec(name="made", summary="a judge", build=lambda options, context: None)
FIRST, SECOND, RESTARTED = (0, "first"), (1, "second"), (0, "first again")
KEYS = [question_key({"model": "m"}, Ask(messages=({"role": "user", "content": f"{n}"},))) for n in range(40)]


@pytest.fixture
def owners(tmp_path):
    """Open the owners of a job, `owners(3)`, as it is started or goes on."""
    opened = []

    def open_them(count, cassette=None):
        use = JudgeUse(use="test/made", cassette=cassette)
        judges = {"main": Component(use=use, spec=SPEC, options=Config())}
        new = [ReplyOwner.open(judges, tmp_path / "judges", number, count) for number in range(count)]
        opened.extend(new)
        return new

    yield open_them
    for one in opened:
        one.close()


def told(owner, asker, *message):
    [answer] = owner.answer(asker, [message])
    return answer


def keep(owners, number):
    key = KEYS[number]
    reply = Reply(text=f"answer {number}")
    return told(owners[owner_of(key, len(owners))], FIRST, "keep", "main", key, "m", 0, reply)


def found(owners, number):
    key = KEYS[number]
    return told(owners[owner_of(key, len(owners))], FIRST, "claim", "main", key)


class TestClaims:
    def test_one_asks_and_the_other_waits_for_its_reply(self, owners):
        [owner] = owners(1)
        assert told(owner, FIRST, "claim", "main", KEYS[0]) is True
        assert told(owner, SECOND, "claim", "main", KEYS[0]) is False
        assert told(owner, FIRST, "claim", "main", KEYS[0]) is True, "its answer was lost on the way"
        reply = Reply(text="yes")
        assert told(owner, FIRST, "keep", "main", KEYS[0], "m", 0, reply) == reply
        assert told(owner, SECOND, "claim", "main", KEYS[0]) == reply

    def test_a_question_without_a_reply_is_for_the_next(self, owners):
        [owner] = owners(1)
        told(owner, FIRST, "claim", "main", KEYS[0])
        told(owner, FIRST, "release", "main", KEYS[0])
        assert told(owner, SECOND, "claim", "main", KEYS[0]) is True

    def test_of_a_process_that_was_restarted_are_free(self, owners):
        [owner] = owners(1)
        for key in KEYS[:2]:
            told(owner, FIRST, "claim", "main", key)
        owner.free(0, RESTARTED[1])
        assert told(owner, SECOND, "claim", "main", KEYS[0]) is True
        assert told(owner, RESTARTED, "claim", "main", KEYS[1]) is True

    def test_from_before_a_restart_of_the_owner_hold(self, owners):
        [owner] = owners(1)
        owner.adopt(SECOND, [("main", KEYS[0])])
        assert told(owner, FIRST, "claim", "main", KEYS[0]) is False

    def test_the_reply_that_was_kept_first_is_everybodys(self, owners):
        [owner] = owners(1)
        keep([owner], 0)
        assert told(owner, SECOND, "keep", "main", KEYS[0], "m", 0, Reply(text="late")).text == "answer 0"


class TestFiles:
    @pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 3), (3, 3), (3, 1), (4, 3), (2, 5)])
    def test_a_job_that_goes_on_finds_all_replies_however_many_owners_there_were(self, owners, before, after):
        first = owners(before)
        for number in range(40):
            keep(first, number)
        for owner in first:
            owner.close()
        assert [found(owners(after), number).text for number in range(40)] == [f"answer {n}" for n in range(40)]

    def test_each_owner_has_a_file_of_its_own_with_its_part(self, owners, tmp_path):
        these = owners(3)
        for number in range(40):
            keep(these, number)
        files = sorted((tmp_path / "judges").iterdir())
        assert [file.name for file in files] == [f"main.{n}-of-3.answers.jsonl" for n in range(3)]
        kept = [[json.loads(line)["key"] for line in file.read_text().splitlines()] for file in files]
        assert all(owner_of(key, 3) == number for number, keys in enumerate(kept) for key in keys)
        assert sorted(key for keys in kept for key in keys) == sorted(KEYS)

    def test_the_only_owner_has_the_file_that_one_process_has(self, owners, tmp_path):
        keep(owners(1), 0)
        assert [file.name for file in (tmp_path / "judges").iterdir()] == ["main.answers.jsonl"]

    def test_a_reply_that_is_forgotten_stays_so_also_if_an_earlier_job_kept_it(self, owners):
        first = owners(2)
        keep(first, 0)
        for owner in first:
            owner.close()
        these = owners(3)
        told(these[owner_of(KEYS[0], 3)], FIRST, "forget", "main", [KEYS[0]], False)
        for owner in these:
            owner.close()
        assert found(owners(3), 0) is True
        assert found(owners(2), 0) is True

    def test_a_cassette_is_recorded_replayed_and_required_as_by_one_process(self, owners, tmp_path):
        path = str(tmp_path / "main.jsonl")
        keep(recording := owners(1, CassetteUse(path=path, mode="record")), 0)
        recording[0].close()
        for mode in ("replay", "strict"):
            assert found(owners(1, CassetteUse(path=path, mode=mode)), 0).text == "answer 0"
        strict = owners(1, CassetteUse(path=path, mode="strict"))
        assert "has no answer to this question" in found(strict, 1).error
        with pytest.raises(UserError, match="there is no such cassette"):
            owners(1, CassetteUse(path=f"{path}.missing", mode="replay"))

    def test_an_answer_that_cannot_be_kept_is_an_error_of_its_question_alone(self, owners):
        [owner] = owners(1)
        odd = Reply(text="odd", logprobs=object())
        bad, good = owner.answer(
            FIRST,
            [("keep", "main", KEYS[0], "m", 0, odd), ("keep", "main", KEYS[1], "m", 0, Reply(text="fine"))],
        )
        assert isinstance(bad, JobError)
        assert good.text == "fine"


class TestAnAsker:
    def test_sends_what_comes_together_together(self, owners):
        [owner] = owners(1)
        sent = []

        async def send(messages):
            sent.append(len(messages))
            return owner.answer(FIRST, messages)

        async def ask():
            replies = SharedReplies("main", [ReplyLine(send)])
            assert await asyncio.gather(*map(replies.claim, KEYS)) == [None] * 40

        asyncio.run(ask())
        assert sent == [40]

    def test_whose_answer_came_from_an_owner_that_is_gone_asks_the_new_one(self, owners):
        [owner] = owners(1)
        line = None

        async def send(messages):
            answers = owner.answer(FIRST, messages)
            if not sent:  # on its way, the owner dies, and its successor gives the question to somebody else
                assert line.restarted() == []
                owner.free(0, "")
                owner.adopt(SECOND, [("main", KEYS[0])])
            sent.append(answers)
            return answers

        async def ask():
            nonlocal line
            line = ReplyLine(send)
            claim = asyncio.ensure_future(SharedReplies("main", [line]).claim(KEYS[0]))
            await asyncio.sleep(0.1)
            assert not claim.done(), "the first answer let it ask"
            told(owner, SECOND, "keep", "main", KEYS[0], "m", 0, Reply(text="theirs"))
            assert (await claim).text == "theirs"

        sent = []
        asyncio.run(ask())
        assert [answers[0] for answers in sent[:2]] == [True, False]

    def test_that_gives_up_leaves_the_question_to_others(self, owners):
        [owner] = owners(1)

        async def send(messages):
            await asyncio.sleep(0.01)
            return owner.answer(FIRST, messages)

        async def ask():
            line = ReplyLine(send)
            claim = asyncio.ensure_future(SharedReplies("main", [line]).claim(KEYS[0]))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            claim.cancel()
            await asyncio.wait([claim])
            await line.flush()

        asyncio.run(ask())
        assert told(owner, SECOND, "claim", "main", KEYS[0]) is True

    def test_that_gives_up_while_its_reply_is_kept_has_it_kept(self, owners):
        [owner] = owners(1)

        async def send(messages):
            await asyncio.sleep(0.01)
            return owner.answer(FIRST, messages)

        async def ask():
            line = ReplyLine(send)
            keeping = asyncio.ensure_future(SharedReplies("main", [line]).keep(KEYS[0], "m", 0, Reply(text="paid")))
            await asyncio.sleep(0)
            keeping.cancel()
            await asyncio.wait([keeping])
            await line.flush()

        asyncio.run(ask())
        assert found([owner], 0).text == "paid"
