"""SP3F's published judge loop, and equation 4, on cases computed by a replica of that code."""

import json
from pathlib import Path

import pytest

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
    if "double braces" in case["name"]:
        pytest.skip("the default parser reads double braces; the case counts them as unparsable")
    scores = win_rate(judge, answers, on_unparsable="loss")
    assert [score.value for score in scores] == case["expected"]["paper_eq4_r_P_unparsable_as_0"]
