"""A judge whose answers nobody can read shows in its first fifty: it ends a run, and a score is told."""

import itertools
import sys

import pytest
from rewardlab import Ask, JudgeSpec, Reply, Score
from rewardlab.errors import JobError
from rewardlab.judging import reply_cache
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.settings import JudgingSettings
from rewardlab.judging.unparsable import FIRST_REPLIES, UnparsableWatch
from rewardlab.recipe.use import JudgeUse
from rewardlab.scoring.scorer import Scorer

BAD = Reply(text="I cannot decide.")


def counted(goods, replies=None):
    """What is told, by the number of the reply at which it is."""
    watch = UnparsableWatch("main")
    told = {}
    for number, good in enumerate(goods, 1):
        reply = replies[number - 1] if replies else BAD
        if (text := watch.count(reply, good)) is not None:
            told[number] = text
    return told


class TestWatch:
    def test_tells_once_as_soon_as_more_than_half_of_the_first_fifty_are_unreadable(self):
        assert list(counted([False] * 200)) == [26]
        assert list(counted([True] * 24 + [False] * 100)) == [50]
        assert list(counted([True, False] * 20 + [False] * 10)) == [46]

    def test_keeps_silent_at_half_and_after_the_first_fifty(self):
        assert counted([True] * 25 + [False] * 500) == {}
        assert counted([False] * 25 + [True] * 25 + [False] * 500) == {}

    def test_shows_three_examples_and_where_a_verdict_would_be(self):
        replies = [
            Reply(text="first\nanswer"),
            Reply(text="x" * 400 + " the end", finish_reason="length"),
            Reply(text=" \n", reasoning="hm"),
            *[BAD] * 30,
        ]
        (told,) = counted([False] * 33, replies).values()
        assert told == (
            "judge 'main': 26 of its first 26 answers do not have the form that was asked for; is it the right "
            "model, with enough room (max_tokens) to finish? Its answers:\n"
            "  1. first answer\n"
            f"  2. ...{'x' * 292} the end [cut at the token limit]\n"
            "  3. the reply is reasoning alone, without a text"
        )


@pytest.fixture
def scored(plan_of, reward, group_of):
    """Score ten groups of ten with a judge that nobody understands; what was said, and how often it was asked."""

    def run(stop_on_unparsable, local=False):
        said, asked = [], []

        class Judge:
            async def ask(self, ask):
                asked.append(ask)
                return BAD

        class Asking:
            def __init__(self, judge):
                self.judge = judge

            async def score(self, items):
                scores = []
                for _, completion in items:
                    reply = await self.judge.ask(Ask(parts={"a": completion.text}))
                    if reply.error is None:
                        self.judge.report_parsed(reply, False)
                    scores.append(Score(value=0.5, error=reply.error))
                return scores

        spec = JudgeSpec(name="made", summary="made", local=local, build=lambda *_: Judge())
        asking = reward(None, build=lambda _, context: Asking(context.judges["main"]), runs="async")
        plan = plan_of({"a": asking}, judges={"main": (spec, {})})
        groups = [group_of(*(f"{number} {i}" for i in range(10)), id=str(number)) for number in range(10)]
        with Scorer(plan, judging=JudgingSettings(stop_on_unparsable=stop_on_unparsable, say=said.append)) as scorer:
            for group in groups:
                scorer.score_groups([group])
        return said, len(asked)

    return run


def test_a_run_ends(scored):
    with pytest.raises(JobError, match=r"judge 'main': 26 of its first 26 answers(.|\n)*1\. I cannot decide\."):
        scored(stop_on_unparsable=True)


def test_a_score_is_told_and_goes_on(scored):
    said, asked = scored(stop_on_unparsable=False)
    assert asked == 100 > FIRST_REPLIES
    (told,) = said
    assert told.startswith("warning: judge 'main': 26 of its first 26 answers do not have the form")


def test_a_local_judge_ends_no_run(scored):
    """It is code: that it cannot tell what an untrained policy writes apart is no wrong model."""
    said, asked = scored(stop_on_unparsable=True, local=True)
    assert asked == 100
    (told,) = said
    assert told.startswith(
        "warning: judge 'main': 26 of its first 26 answers do not have the form that was asked for; "
    )
    assert "is it a judge for this reward?" in told
    assert "model" not in told


def test_replies_that_arrive_while_unread_ones_are_forgotten(home, tmp_path):
    """Askers report from threads of their own. Here a reply arrives whenever theirs would touch the open replies."""

    class Judge:
        async def ask(self, ask):
            return Reply(text="hm")

    spec = JudgeSpec(name="made", summary="made", build=lambda *_: Judge())
    judging = JudgingSettings(folder=tmp_path, stop_on_unparsable=True)
    hosted = HostedJudge("main", Judge(), spec, JudgeUse(use="test/made"), home, judging=judging)
    numbers = itertools.count()

    def one_more():
        return home.run(hosted.ask(Ask(parts={"number": next(numbers)})))

    def at_each_line(frame, event, arg):
        if frame.f_code.co_filename == reply_cache.__file__:
            one_more()
        return at_each_line

    replies, before = [one_more() for _ in range(26)], sys.gettrace()
    sys.settrace(at_each_line)
    try:
        for reply in replies:
            hosted.report_parsed(reply, False)
    finally:
        sys.settrace(before)
    assert str(hosted.stopped).endswith("They are not kept: a resumed job asks for them again")
    home.run(hosted.aclose())
    assert b"forgotten" in next(tmp_path.glob("*.answers.jsonl")).read_bytes()
