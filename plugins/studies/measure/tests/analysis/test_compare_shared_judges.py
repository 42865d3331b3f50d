"""Judges of two recipes: one where they are declared alike, and no answer kept longer than a row may need it."""

import asyncio

import pytest
from rewardlab import Ask, JudgeSpec, Reply
from rewardlab_measure.compare.shared_judges import open_shared

QUESTION = Ask(messages=({"role": "user", "content": "?"},))


class Counting:
    def __init__(self):
        self.calls = 0
        self.error = None

    async def ask(self, ask):
        self.calls += 1
        await asyncio.sleep(0.001)
        return Reply(text="yes", prompt_tokens=2, completion_tokens=1, error=self.error)


@pytest.fixture
def shared(plan_of, reward, home):
    """Judges of recipes A and B: (what they are, the judge that is asked behind them, ask("a", question))."""
    judge = Counting()
    spec = JudgeSpec(name="judge", summary="counts", build=lambda options, context: judge)
    plan = plan_of({"x": reward(None)}, "x", judges={"main": (spec, {"retries": 0})})
    opened = open_shared({"a": plan, "b": plan}, pytest.fail)

    def ask(letters, question=QUESTION):
        async def all_at_once():
            return await asyncio.gather(*(opened.of_recipe[letter]["main"].ask(question) for letter in letters))

        return home.run(all_at_once())

    yield opened, judge, ask
    opened.close()


def test_a_question_of_both_is_asked_once_under_way_or_answered(shared):
    opened, judge, ask = shared
    opened.progress.begun = 1
    assert [reply.text for reply in [*ask("ab"), *ask("ba")]] == ["yes"] * 4
    assert judge.calls == 1
    for letter in "ab":  # each would pay for it once by itself
        usage = opened.of_recipe[letter]["main"].usage
        assert usage.as_dict() == {"questions": 1, "unanswered": 0, "tokens": 3, "usd": None}


def test_another_draw_is_another_question(shared):
    opened, judge, ask = shared
    opened.progress.begun = 1
    ask("a")
    ask("b", Ask(messages=QUESTION.messages, draw=1))
    assert judge.calls == 2


def test_an_answer_is_kept_until_the_rows_that_had_begun_are_done(shared):
    opened, judge, ask = shared
    opened.progress.begun = 3
    ask("a")
    opened.progress.done = 2
    ask("b")
    assert judge.calls == 1
    opened.progress.begun, opened.progress.done = 4, 3
    ask("b")
    assert judge.calls == 2


def test_no_answer_is_kept_for_nobody(shared):
    opened, judge, ask = shared
    opened.progress.begun = 1
    judge.error = "down"
    assert ask("a")[0].error == "down"
    judge.error = None
    assert ask("b")[0].text == "yes"
    assert opened.of_recipe["a"]["main"].usage.unanswered == 1
    assert opened.of_recipe["b"]["main"].usage.unanswered == 0


def test_what_was_paid_is_counted_once(shared):
    opened, _, ask = shared
    opened.progress.begun = 1
    ask("ab")
    ask("b")
    ((name, usage),) = opened.paid()
    assert (name, usage.calls, usage.reused) == ("A main = B main", 1, 2)
