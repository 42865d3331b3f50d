"""profile: sp3f_official, against published scores and math-verify called as the published code does."""

import json
from itertools import product
from pathlib import Path

import pytest
from helpers.each_case import each_case
from math_verify import parse, verify
from rewardlab_math.official import official_equal

DATA = Path(__file__).parent / "data"
ANSWERS = [
    r"2\sqrt{3}-1",
    "(1,2)",
    r"\$12",
    "12",
    r"\frac{1}{2}",
    "0.5",
    "12 apples",
    r"50\%",
    "50",
    "1,234",
    "1234",
    "A",
    r"\text{A}",
    "",
    "1000000!",
    "1000000",
    r"$\frac{1}{2}$",
    "9^9",
    "387420489",
    "x = 9^{9^9}",
    "9",
    "٥",
    "-5",
    r"\[\boxed{7}\] or 7",
]


def cases(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def official(score, text, gold):
    return score(text, gold, profile="sp3f_official")


def test_the_published_comparisons(score):
    for case in cases("sp3f_math_eval_cases.jsonl"):
        prediction, gold = case["input"]["prediction"], case["input"]["gold"]
        assert official(score, rf"\boxed{{{prediction}}}", gold).value == case["expected"], case["input"]


def test_the_published_rewards(score):
    for case in cases("sp3f_reward_cases.jsonl"):
        found = official(score, case["input"]["solution_str"], case["input"]["ground_truth"])
        assert found.value == case["expected"]["task_score"]
        assert (found.info["extracted"] or "None") == case["expected"]["ans"]


@each_case(
    "gold, answer, value",
    [
        (r"2\sqrt{3}-1", r"2\sqrt{3} - 1", 0.0),
        ("(1,2)", "(1, 2)", 0.0),
        ("12", r"\$12", 0.0),
        (r"\frac{1}{2}", "0.5", 1.0),
        ("12", "12 apples", 1.0),
        ("50", r"50\%", 1.0),
    ],
)
def test_formulas_may_differ_from_themselves_there(score, gold, answer, value):
    assert official(score, rf"\boxed{{{answer}}}", gold).value == value


@pytest.mark.slow
def test_it_is_math_verify_on_bare_strings():
    for gold, answer in product(ANSWERS, repeat=2):
        assert official_equal(answer, gold) == verify(parse(gold), parse(answer)), (gold, answer)


def test_the_box_is_the_official_one(score):
    assert official(score, r"\boxed 7$ or \boxed{8}", "7").value == 1.0
    assert official(score, r"\boxed{7} \boxed{8", "7").info == {"extracted": None}
    assert official(score, r"<think>\boxed{7}</think> no", "7").value == 1.0
    assert official(score, r"\boxed{None}", "None").value == 0.0


def test_a_missing_gold_answer_is_a_failure(score):
    found = official(score, r"\boxed{7}", None)
    assert (found.value, found.error) == (None, "field 'answer': missing")


@each_case("answer", ["9^9^9^9", r"$9^{9^{9}}$", r"$\binom{1000000}{500000}$", "$(10!)!$"])
def test_what_would_outlast_the_published_limits_is_refused(score, answer):
    found = official(score, rf"\boxed{{{answer}}}", "12")
    assert found.value == 0.0
    assert "digits" in found.info["refused"]


@pytest.mark.parametrize(
    "answer", [r"e^{e^{e^{24}}}", r"\pi^{\pi^{\pi^{9}}}", r"\exp(\exp(\exp(24)))", r"\sinh(e^{e^{24}})"]
)
def test_powers_of_e_and_pi_are_refused_as_well(score, answer):
    found = official(score, rf"\boxed{{${answer}$}}", "2")
    assert found.value == 0.0
    assert "digits" in found.info["refused"]


def test_unclosed_brackets_are_refused_before_they_are_searched(score):
    found = official(score, r"\boxed " + r"\[ \boxed{a" * 800, "12")
    assert found.value == 0.0
    assert "unclosed" in found.info["refused"]
