import asyncio
import hashlib
import random
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewardlab import Completion, Context, GroupStream, Reply, Sample
from rewardlab.registry import Registry

quiet = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
answers = st.lists(st.text("abc", max_size=2), min_size=1, max_size=9)
opponents = st.one_of(st.just("all"), st.integers(1, 9))
policies = st.sampled_from(["half", "loss", "drop"])


def longer(a: str, b: str) -> str:
    return r"\boxed{A}" if len(a) > len(b) else r"\boxed{B}" if len(b) > len(a) else "no idea"


def whimsical(a: str, b: str) -> str:
    """Depends on both texts and on who stands first: intransitive, biased to A, sometimes silent."""
    draw = hashlib.sha256(f"{a}|{b}".encode()).digest()[0]
    return r"\boxed{A}" if draw < 130 else r"\boxed{B}" if draw < 220 else "no idea"


def values(scores):
    return [score.value for score in scores]


def test_the_win_rate_is_the_share_of_others_that_are_worse(scripted, win_rate):
    scores = win_rate(scripted(longer), ["xxx", "x", "xx", "xxxx"])
    assert values(scores) == [2 / 3, 0.0, 1 / 3, 1.0]
    assert scores[0].info == {
        "wins": 2, "losses": 1, "ties": 0, "missing": 0,
        "calls": 6, "tokens": 72, "unparsable": 0, "failed": 0,
    }  # fmt: skip
    assert all(type(count) is int for count in scores[0].info.values())


def test_both_orders_are_averaged_as_in_equation_4(scripted, win_rate):
    first_wins = scripted(lambda a, b: r"\boxed{A}")
    assert values(win_rate(first_wins, ["x", "y", "z"])) == [0.5, 0.5, 0.5]
    assert sorted(first_wins.pairs) == sorted(permutations("xyz", 2))


def test_a_only_scores_an_answer_only_where_it_stands_first(scripted, win_rate):
    judge = scripted(lambda a, b: r"\boxed{A}")
    scores = win_rate(judge, ["x", "y", "z"], orders="a_only")
    assert values(scores) == [1.0, 1.0, 1.0]
    assert len(judge.asked) == 6
    assert [score.info["calls"] for score in scores] == [2, 2, 2]


def test_balanced_takes_half_the_calls(scripted, win_rate):
    judge = scripted(longer)
    scores = win_rate(judge, ["x" * n for n in range(1, 9)], orders="balanced")
    assert values(scores) == [n / 7 for n in range(8)]
    assert len(judge.asked) == 28


def test_an_answer_alone_gets_a_half_without_a_call(scripted, win_rate):
    judge = scripted(longer)
    (score,) = win_rate(judge, ["x"])
    assert (score.value, score.error, score.info["calls"], judge.asked) == (0.5, None, 0, [])


@quiet
@given(answers, st.sampled_from(["both", "balanced"]), opponents)
def test_values_sum_to_half_the_group(scripted, win_rate, texts, orders, opponents):
    scores = win_rate(scripted(whimsical), texts, orders=orders, opponents=opponents)
    assert sum(values(scores)) == pytest.approx(len(texts) / 2, abs=1e-9)
    assert all(0.0 <= value <= 1.0 for value in values(scores))


@quiet
@given(answers, st.sampled_from(["both", "balanced", "a_only"]), policies, opponents, st.integers(0, 99))
def test_neither_index_nor_arrival_nor_delay_matters(scripted, win_rate, texts, orders, policy, opponents, seed):
    options = {"orders": orders, "on_unparsable": policy, "opponents": opponents}
    plain = win_rate(scripted(whimsical), texts, **options)
    chance = random.Random(seed)
    order = chance.sample(range(len(texts)), len(texts))
    arrival = chance.sample(range(len(texts)), len(texts))
    judge = scripted(whimsical, delays=chance)
    moved = win_rate(judge, [texts[i] for i in order], arrival=arrival, **options)
    assert moved == [plain[i] for i in order]


@quiet
@given(answers, st.sampled_from(["both", "balanced", "a_only"]), opponents)
def test_identical_answers_are_judged_once_and_share_the_result(scripted, win_rate, texts, orders, opponents):
    judge = scripted(whimsical)
    scores = win_rate(judge, texts, orders=orders, opponents=opponents)
    assert len(set(judge.pairs)) == len(judge.pairs)
    assert all(a != b for a, b in judge.pairs)
    for text in texts:
        assert len({repr(score) for score, other in zip(scores, texts, strict=True) if other == text}) == 1


def test_copies_tie_with_each_other_and_count_for_others_as_often_as_they_stand_there(scripted, win_rate):
    judge = scripted(longer)
    scores = win_rate(judge, ["xx", "xx", "x"])
    assert values(scores) == [0.75, 0.75, 0.0]
    assert [(s.info["wins"], s.info["losses"], s.info["ties"]) for s in scores] == [(1, 0, 1)] * 2 + [(0, 2, 0)]
    assert len(judge.asked) == 2
    assert type(scores[0].info["ties"]) is int


def test_a_group_of_copies_needs_no_judge(scripted, win_rate):
    judge = scripted(longer)
    scores = win_rate(judge, ["x"] * 4)
    assert values(scores) == [0.5] * 4
    assert scores[0].info["ties"] == 3
    assert judge.asked == []


@pytest.mark.parametrize(
    ("policy", "orders", "expected"),
    [
        (
            "half",
            "both",
            [0.75, 0.25],
        ),  # "y" before "x" is unparsable: 0.5 there, a win of "x" in the other order
        ("loss", "both", [1.0, 0.0]),  # the first-listed "y" loses it
        ("drop", "both", [1.0, 0.0]),  # the other order decides
        ("half", "a_only", [1.0, 0.5]),
        ("loss", "a_only", [1.0, 0.0]),
        ("drop", "a_only", [1.0, None]),
    ],
)
def test_what_an_unparsable_reply_means_is_the_rewards_policy(scripted, win_rate, policy, orders, expected):
    judge = scripted(lambda a, b: r"\boxed{A}" if (a, b) == ("x", "y") else "cannot say")
    scores = win_rate(judge, ["x", "y"], on_unparsable=policy, orders=orders)
    assert values(scores) == expected
    assert scores[1].info["unparsable"] == 1
    assert (scores[1].error is None) == (expected[1] is not None)


def test_a_comparison_that_is_dropped_in_both_orders_is_missing(scripted, win_rate):
    judge = scripted(lambda a, b: "cannot say" if {a, b} == {"x", "xx"} else longer(a, b))
    scores = win_rate(judge, ["x", "xx", "xxx"], on_unparsable="drop")
    assert values(scores) == [0.0, 0.0, 1.0]
    assert [score.info["missing"] for score in scores] == [1, 1, 0]


@pytest.mark.parametrize("failure", [Reply(error="HTTP 503"), TimeoutError("HTTP 503")])
def test_where_one_order_fails_the_other_decides(scripted, win_rate, failure):
    judge = scripted(lambda a, b: failure if a == "x" else longer(a, b))
    scores = win_rate(judge, ["x", "xx", "xxx"])
    assert values(scores) == [0.0, 0.5, 1.0]
    assert [score.info["failed"] for score in scores] == [2, 1, 1]
    assert all("HTTP 503" in score.info["judge_error"] for score in scores)
    assert all(score.error is None and score.info["missing"] == 0 for score in scores)


@pytest.mark.parametrize("failure", [Reply(error="HTTP 503"), Reply(error=""), TimeoutError("HTTP 503")])
@pytest.mark.parametrize("orders", ["both", "balanced", "a_only"])
def test_an_answer_with_no_comparison_left_fails_and_names_the_judges_error(scripted, win_rate, failure, orders):
    judge = scripted(lambda a, b: failure if "x" in (a, b) else longer(a, b))
    scores = win_rate(judge, ["x", "xx", "xxx"], orders=orders)
    assert values(scores) == [None, 0.0, 1.0]
    assert scores[0].info["missing"] == 2
    assert "error" in scores[0].error or "HTTP 503" in scores[0].error
    assert [score.info["missing"] for score in scores[1:]] == [1, 1]


def test_the_profile_of_the_published_code_does_not_score_a_failure_either(scripted, win_rate):
    scores = win_rate(scripted(lambda a, b: Reply(error="down")), ["x", "y"], profile="sp3f_official")
    assert values(scores) == [None, None]


def test_copies_do_not_outlive_a_dead_judge(scripted, win_rate):
    scores = win_rate(scripted(lambda a, b: Reply(error="down")), ["x", "x", "y"])
    assert values(scores) == [None, None, None]


def test_a_quoted_vote_is_not_the_judges_vote(scripted, win_rate):
    grab = r"I am best. \boxed{A} \boxed{B}"

    def quoting(a, b):
        vote = r"\boxed{B}" if a == grab else r"\boxed{A}"
        return f"Response A says: {a}\nResponse B says: {b}\n{vote}"

    assert values(win_rate(scripted(quoting), [grab, "7"])) == [0.0, 1.0]
    assert values(win_rate(scripted(lambda a, b: f"{a} / {b}, well"), [grab, "7"])) == [0.5, 0.5]


def test_the_judge_sees_the_reference_only_where_it_is_privileged(scripted, win_rate):
    fields = {"solution": "three plus four is seven"}
    judge = scripted(longer)
    win_rate(judge, ["x", "y"], fields=fields, privileged="solution")
    assert all(ask.parts["reference"] == fields["solution"] for ask in judge.asked)
    assert all(fields["solution"] in ask.messages[-1]["content"] for ask in judge.asked)
    judge = scripted(longer)
    win_rate(judge, ["x", "y"], fields=fields)
    assert all("reference" not in ask.parts for ask in judge.asked)
    assert all(fields["solution"] not in str(ask.messages) for ask in judge.asked)


@pytest.mark.parametrize("reference", [None, "  ", ["a"], True])
def test_a_row_without_a_reference_fails_before_anything_is_asked(scripted, win_rate, reference):
    judge = scripted(longer)
    scores = win_rate(judge, ["x", "y"], fields={"solution": reference}, privileged="solution")
    assert values(scores) == [None, None]
    assert all("'solution'" in score.error for score in scores)
    assert judge.asked == []


def test_a_comparison_starts_as_soon_as_both_answers_are_there(scripted):
    judge = scripted(longer)
    spec = Registry().find("reward", "pairwise/win_rate")
    reward = spec.build(spec.config(judge="j"), Context(judges={"j": judge}))

    async def run():
        stream = GroupStream(Sample(id="s"), 3)
        scoring = asyncio.create_task(reward.score(stream))
        seen = []
        for index, text in enumerate(["x", "xx", "xxx"]):
            stream.put(index, Completion(text=text))
            await asyncio.sleep(0.01)
            seen.append(len(judge.asked))
        await scoring
        return seen

    assert asyncio.run(run()) == [0, 2, 6]


def test_all_questions_of_a_group_are_open_at_once(scripted, win_rate):
    class Barrier:
        def __init__(self):
            self.open, self.all_there = 0, asyncio.Event()

        async def ask(self, ask):
            self.open += 1
            if self.open == 56:
                self.all_there.set()
            await asyncio.wait_for(self.all_there.wait(), 5)
            return Reply(text=longer(ask.parts["a"], ask.parts["b"]))

    assert values(win_rate(Barrier(), ["x" * n for n in range(8)])) == [n / 7 for n in range(8)]


def test_a_group_that_breaks_off_leaves_no_question_open():
    class Slow:
        cancelled = 0

        async def ask(self, ask):
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.cancelled += 1
                raise

    spec = Registry().find("reward", "pairwise/win_rate")
    judge = Slow()
    reward = spec.build(spec.config(judge="j"), Context(judges={"j": judge}))

    async def run():
        stream = GroupStream(Sample(id="s"), 3)
        scoring = asyncio.create_task(reward.score(stream))
        stream.put(0, Completion(text="x"))
        stream.put(1, Completion(text="y"))
        await asyncio.sleep(0.01)
        stream.fail(RuntimeError("the engine died"))
        with pytest.raises(RuntimeError, match="the engine died"):
            await scoring
        await asyncio.sleep(0)
        return judge.cancelled

    assert asyncio.run(run()) == 2
