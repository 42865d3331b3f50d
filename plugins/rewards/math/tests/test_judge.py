"""The order of comparison (writing, number, algebra), and answers that cannot be compared."""

import time

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_math import algebra
from rewardlab_math.gold import golds
from rewardlab_math.gold_text import BrokenGold
from rewardlab_math.judge import judge_answer


def verdict(gold, answer, language=None, seconds=2.0):
    return judge_answer(golds(gold, language, seconds), [answer], language, seconds)


def test_the_same_writing_needs_no_computing():
    assert verdict("10^{10^{10}}", "10^{10 ^ {10}}").right
    assert verdict(r"\text{June } 20", "June 20").right
    assert not verdict("(1,2]", "[1,2)").right


def test_words_are_never_algebra():
    assert not verdict("stop", "pots").right
    assert not verdict("no", "on").right


def test_a_sentence_may_hold_the_answer():
    assert verdict("12", "The answer is 12 apples.").right
    assert verdict(r"2\sqrt{3}", r"The answer is $\sqrt{12}$.").right
    assert verdict("5", r"We find \(x = 5\)").right
    assert verdict("12", "I cannot say").reason == "no formula"


@each_case("answer, reason", [("", "blank"), (" $ $ ", "blank"), (r"\frac{1}{", "unparsable"), ("2 + )", "unparsable")])
def test_what_is_no_answer_is_wrong_with_a_reason(answer, reason):
    found = verdict("12", answer)
    assert (found.right, found.reason) == (False, reason)


def test_a_gold_answer_that_cannot_be_computed_refuses_other_writings():
    found = verdict("10^{10^{10}}", "5")
    assert not found.right
    assert "gold" in found.refused


def test_a_slow_answer_is_told_from_a_wrong_one():
    found = verdict("(x+y+z+w)^{30} = 1", "(x+y+z+w)^{60} = 1", seconds=0.3)
    assert (found.right, found.timed_out, found.reason) == (False, True, None)


def test_an_error_of_the_algebra_system_is_told_from_a_wrong_answer(monkeypatch):
    def broken(golds, answers):
        raise TypeError("cannot compare")

    monkeypatch.setattr(algebra, "any_equal", broken)
    found = verdict("12", "2^3")
    assert (found.right, found.failed) == (False, "TypeError: cannot compare")


def test_an_error_with_one_reading_of_an_answer_does_not_hide_another_that_is_right(monkeypatch):
    whole, half = algebra.formulas("x", decimal_comma=False), algebra.formulas("0.5x", decimal_comma=False)
    differ = algebra.differ

    def broken(gold, answer):
        if answer == half[0]:
            raise TypeError("cannot compare")
        return differ(gold, answer)

    monkeypatch.setattr(algebra, "differ", broken)
    assert algebra.any_equal(whole, [*half, *whole])
    with pytest.raises(TypeError):
        algebra.any_equal(whole, half)


@each_case("gold", [r"\frac{1}{0}", r"\frac{0}{0}"])
def test_a_gold_answer_that_algebra_fails_at_is_compared_as_written_and_said(gold):
    (one,) = golds(gold, "en", 2.0)
    assert "compared" in one.refused
    assert verdict(gold, gold).right
    assert verdict(gold, "5").refused


@pytest.mark.slow
@each_case(
    "answer",
    [
        r"9^{9^{9^{9}}}",
        r"10^{10^{10}}",
        "1000000!",
        r"\binom{1000000}{500000}",
        r"\int_0^1 e^{-x^2} \sin(x^3) dx",
        r"\sum_{k=1}^{1000000} \frac{1}{k}",
        "{" * 50_000 + "}" * 50_000,
        "(" * 500 + ")" * 500,
        "1" * 100_000,
        "$" * 100_000,
        "1+" * 450 + "1",
        r"\text{" * 300,
    ],
)
def test_hostile_answers_are_judged_at_once(answer):
    started = time.process_time()
    assert not verdict(r"2\sqrt{3}", answer).right
    assert time.process_time() - started < 30


PIECES = r"""
1 2 x 0 9 . , ; + - * / ^ _ { } ( ) [ ] = < ! % $ \ \frac \sqrt \text \pi \infty \{ \cup \pm | and é ৪ ٫
"""


@given(
    st.text(max_size=20) | st.lists(st.sampled_from(PIECES.split()), max_size=8).map("".join),
    st.sampled_from(["12", r"2\sqrt{3}", "(1,2)", "x=5", "Paris", "B", "10^{10^{10}}"]),
    st.sampled_from([None, "en", "de"]),
)
def test_no_answer_is_too_strange(answer, gold, language):
    verdict(gold, answer, language)


@given(st.text(max_size=12), st.sampled_from([None, "en", "de"]))
def test_every_text_with_a_letter_or_digit_equals_itself_or_is_a_broken_gold_answer(text, language):
    try:
        right_ones = golds(text, language, 2.0)
    except BrokenGold:
        return
    assert judge_answer(right_ones, [text], language, 2.0).right


@each_case("seconds", [0.5, 1.0, 2.0])
def test_a_comparison_that_another_form_needs_is_right_or_late_and_never_just_wrong(seconds):
    verdict = judge_answer(golds("y + 1 = -(2x - 1)^2", "en", 5.0), ["-4x^2+4x-2"], "en", seconds)
    assert verdict.right or verdict.timed_out
