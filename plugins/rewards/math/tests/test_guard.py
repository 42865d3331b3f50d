"""Answers that are not handed to the algebra system."""

import pytest
from helpers.each_case import each_case
from rewardlab_math.guard import DEEPEST, LONGEST, RefusedFormula, check


@each_case(
    "text, why",
    [
        ("1+" * LONGEST, "characters"),
        ("(" * (DEEPEST + 1) + "1" + ")" * (DEEPEST + 1), "groups"),
        ("{" * 900, "groups"),
        ("9^9^9", "digits"),
        (r"\tan^{12345}(x)", "power"),
        ("(x+1) ^ 12345", "power"),
        (r"\int_0^1 x dx", r"\\int"),
        (r"\sum_{k=1}^{10} k", r"\\sum"),
        (r"\operatorname{eye}(100000)", r"\\operatorname"),
    ],
)
def test_what_may_take_long_is_refused_with_the_reason(text, why):
    with pytest.raises(RefusedFormula, match=why):
        check(text)


@each_case(
    "text", ["12", r"\frac{\sqrt{3}}{2}", "10^{12345}", "x^{2024}", "(" * DEEPEST + "1" + ")" * DEEPEST, r"\sumtotal"]
)
def test_ordinary_answers_pass(text):
    check(text)


def test_an_answer_may_have_the_unevaluated_parts_of_the_gold_one():
    check(r"\int f(x) dx + C", gold=r"C + \int f(x) dx")
