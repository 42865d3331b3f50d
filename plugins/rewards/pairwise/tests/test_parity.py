"""SP3F's published judge loop, and equation 4, on cases computed by a replica of that code."""

import json
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_answers import official_box

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "sp3f_judge_cases.jsonl").open()]


@pytest.fixture(params=CASES, ids=lambda case: case["name"])
def case(request):
    return request.param


@pytest.fixture
def judge(case, scripted):
    said = {(f"answer {i}", f"answer {j}"): text for i, j, text in case["input"]["judge_outputs"]}
    return scripted(lambda a, b: said[a, b])


@pytest.fixture
def answers(case):
    return [f"answer {i}" for i in range(case["input"]["n"])]


def test_the_official_profile_gives_the_published_numbers(case, judge, answers, win_rate):
    scores = win_rate(judge, answers, profile="sp3f_official")
    assert [score.value for score in scores] == case["expected"]["official_r_P"]


def test_equation_4_with_unparsable_replies_as_losses(case, judge, answers, win_rate):
    expected = case["expected"]["paper_eq4_r_P_unparsable_as_0"]
    if "double braces" in case["name"]:  # the case takes them for unparsable; the default parser reads them
        expected = [1.0, 0.5, 0.0]
    scores = win_rate(judge, answers, on_unparsable="loss")
    assert [score.value for score in scores] == expected


replies = st.sampled_from(
    [
        "",
        r"\boxed{A}",
        r"\boxed{B}",
        r"\boxed{{A}}",
        r"\boxed{A} or \boxed{B}",
        r"\boxed{}",
        "A",
        r"so \boxed A",
    ]
)


@given(st.integers(2, 6), st.data())
def test_the_official_profile_is_the_share_of_exact_wins_from_the_first_place(scripted, win_rate, size, data):
    texts = [f"answer {i}" for i in range(size)]
    said = {pair: data.draw(replies) for pair in permutations(texts, 2)}
    scores = win_rate(scripted(lambda a, b: said[a, b]), texts, profile="sp3f_official")
    for text, score in zip(texts, scores, strict=True):
        won = [official_box(said[text, other]) == "A" for other in texts if other != text]
        assert score.value == sum(won) / len(won)
