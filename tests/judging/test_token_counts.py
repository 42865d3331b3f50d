"""Judges that count what cannot be true: nothing of it reaches limits, budgets or usage, and the user is told once."""

import asyncio

import pytest
from helpers.each_case import each_case
from rewardlab import Ask, JudgeSpec, Reply
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.rate_limit import HIDDEN_TOKENS, MAX_ANSWER_TOKENS, plausible_counts
from rewardlab.judging.settings import JudgingSettings
from rewardlab.recipe.use import JudgeUse

QUESTION = Ask(messages=({"role": "user", "content": "Is it? ✓"},))
BYTES = len("Is it? ✓".encode())


@pytest.fixture
def hosted(home):
    """`hosted(reply, **settings)`: a judge that always gives this reply, and the lines that it had printed."""

    def host(reply, **settings):
        class Judge:
            async def ask(self, ask):
                return reply

        said = []
        spec = JudgeSpec(name="made", summary="made", build=lambda *_: Judge())
        use = JudgeUse.model_validate({"use": "test/made", **settings})
        return HostedJudge("main", Judge(), spec, use, home, judging=JudgingSettings(say=said.append)), said

    return host


@pytest.mark.parametrize("counts", [(10**18, 5), (5, 10**18), (10**400, 10**400), (10**4299, 0), (-1, 0), (True, 1)])
def test_nothing_waits_for_them_and_nothing_is_counted(hosted, counts):
    reply = Reply(text="yes", prompt_tokens=counts[0], completion_tokens=counts[1])
    judge, said = hosted(reply, tokens_per_minute=60_000, price={"prompt": 1.0, "completion": 1.0})

    async def questions():
        return [(await judge.ask(QUESTION)).text for _ in range(3)]

    assert asyncio.run(asyncio.wait_for(questions(), 60)) == ["yes"] * 3
    assert judge.usage.prompt_tokens + judge.usage.completion_tokens <= 15
    (warning,) = said
    assert warning.startswith("warning: judge 'main' reports ")
    assert "that cannot be true" in warning


def test_a_budget_takes_them_for_counts_that_were_not_given(hosted):
    reply = Reply(text="yes", prompt_tokens=10**18, completion_tokens=10**18)
    judge, _ = hosted(reply, budget={"tokens": 1_000})

    async def questions():
        return [(await judge.ask(Ask(messages=QUESTION.messages, draw=draw))).error for draw in range(3)]

    assert asyncio.run(questions()) == [None] * 3


@pytest.mark.parametrize("prompt", [None, 0, BYTES + HIDDEN_TOKENS])
@pytest.mark.parametrize("completion", [None, 0, MAX_ANSWER_TOKENS])
def test_what_can_be_true_stays(prompt, completion):
    reply = Reply(text="yes", prompt_tokens=prompt, completion_tokens=completion)
    assert plausible_counts(QUESTION, reply) == (reply, None)


def test_one_count_more_is_left_out_alone():
    reply = Reply(text="yes", prompt_tokens=BYTES + HIDDEN_TOKENS + 1, completion_tokens=7)
    kept, odd = plausible_counts(QUESTION, reply)
    assert kept == Reply(text="yes", prompt_tokens=None, completion_tokens=7)
    assert odd == f"reports prompt_tokens that cannot be true (at most {BYTES + HIDDEN_TOKENS:,} are believed)"


@each_case(
    "read, written, believed",
    [
        (None, None, True), (0, 0, True), (20, None, True), (0, 20, True), (15, 5, True), (None, 0, True),
        (21, None, False), (0, 21, False), (15, 6, False), (-1, 5, False), (2.5, 0, False), ("9", None, False),
        (True, 0, False), (10**18, 0, False),
    ],
)  # fmt: skip
def test_tokens_of_a_cache_are_a_part_of_the_prompt(read, written, believed):
    counts = {"prompt_tokens": 20, "completion_tokens": 7}
    reply = Reply(text="yes", **counts, cache_read_tokens=read, cache_write_tokens=written)
    kept, odd = plausible_counts(QUESTION, reply)
    assert kept == (reply if believed else Reply(text="yes", **counts))
    assert odd == (None if believed else "reports cache_read_tokens that cannot be true (at most 20 are believed)")


@each_case("prompt", [None, BYTES + HIDDEN_TOKENS + 1, -3])
def test_without_a_prompt_that_can_be_true_there_is_nothing_of_it_in_a_cache(prompt):
    reply = Reply(text="yes", prompt_tokens=prompt, completion_tokens=7, cache_read_tokens=5)
    assert plausible_counts(QUESTION, reply)[0] == Reply(text="yes", completion_tokens=7)
