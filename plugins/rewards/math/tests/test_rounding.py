"""Answers that round to the gold one, if a recipe says so."""

import pytest
from helpers.each_case import each_case


@each_case(
    "answer, gold",
    [
        (r"\dfrac{1587}{52}", "30.52"),
        (r"\sqrt{2} - 1", r"41.4\%"),
        (r"21 \dfrac{13}{14}", "21.93"),
        (r"\dfrac{27}{59}", "0.458"),
        (r"\dfrac{1}{15}", r"6.67\%"),
        (r"\dfrac{542}{3}\text{ seconds}", "180.67"),
        (r"\dfrac{640}{51}", "$12.55"),
        ("3.1416", "3.14"),
        (r"\pi", "3.14"),
        ("x = 1/3", "0.333"),
        (r"-\frac{1}{3}", "-0.33"),
        ("2.5", "2.50"),
    ],
)
def test_what_rounds_to_the_gold_answer_is_right_if_declared(score, answer, gold):
    found = score(rf"\boxed{{{answer}}}", gold, "en", rounding="gold")
    assert (found.value, found.info.get("rounded", answer == "2.5")) == (1.0, True)


@each_case("answer, gold", [(r"\dfrac{1587}{52}", "30.52"), (r"\pi", "3.14"), ("1/3", "0.333")])
def test_without_the_option_it_is_not(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 0.0


@each_case(
    "answer, gold",
    [
        ("30.5", "30.52"),
        ("30.53", "30.52"),
        (r"\dfrac{1586}{52}", "30.52"),
        ("0.34", "0.333"),
        ("784", "785.12"),
        (r"6\frac{1}{64}", "6.01"),
        (r"\frac{15840}{\pi}", "5040"),
        ("3.2", "3"),
        (r"1.3\%", r"1.27\%"),
        (r"\frac{1}{3}", "-0.33"),
        ("0.333, 0.5", "0.333"),
        ("0.3333 x", "0.333"),
        ("3.14, 2.72", "3.14"),
        (r"9^{9^{9^{9}}}", "0.33"),
    ],
)
def test_other_numbers_and_coarser_ones_are_wrong(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en", rounding="gold").value == 0.0


def test_the_published_profile_has_no_such_option(spec):
    with pytest.raises(ValueError, match="rounds as published"):
        spec.config(profile="sp3f_official", rounding="gold")
