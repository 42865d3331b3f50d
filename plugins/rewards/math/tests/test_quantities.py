"""Answers that are one number."""

from fractions import Fraction

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_math.quantities import Quantity, only_quantity, quantities

fractions = st.fractions(max_denominator=1000)


def values(found):
    return {quantity.value for quantity in found}


@each_case(
    "text, value",
    [
        ("12", 12),
        ("+12", 12),
        ("-12", -12),
        ("-$12", -12),
        ("€12", 12),
        ("Rs. 12", 12),
        ("12 USD", 12),
        ("3/4", "3/4"),
        (r"\frac{3}{4}", "3/4"),
        (r"-\frac34", "-3/4"),
        (r"\frac{-3}{4}", "-3/4"),
        (r"1\frac{1}{2}", "3/2"),
        ("1 1/2", "3/2"),
        ("1.2e-3", "0.0012"),
        (r"1.2 \times 10^{3}", 1200),
        ("= 12", 12),
        (r"\approx 12", 12),
        ("x = 12", 12),
        ("total = 12", 12),
    ],
)
def test_a_number_is_read_exactly(text, value):
    assert values(quantities(text)) == {Fraction(value)}


@each_case(
    "unit",
    [
        "apples",
        "cm",
        r"\text{ cm}^2",
        "cm^2",
        "km/h",
        r"^\circ",
        r"^\circ C",
        "元",
        "टन",
        "টি আপেল",
        "м/с",
        "square feet",
    ],
)
def test_a_unit_is_no_part_of_the_number(unit):
    assert values(quantities(f"12 {unit}")) == {12}


@each_case("text", ["12x", "12 x", "12ab", "12i", r"2\mathrm{e}", "2^3", "5!", "1,2,3", "(1,2)", "x", "1/0", ""])
def test_a_formula_is_not_taken_for_a_number_with_a_unit(text):
    assert quantities(text) == frozenset()
    assert only_quantity(text) == frozenset()


def test_words_for_powers_of_ten_may_multiply():
    assert values(quantities("3万元")) == {3, 30_000}
    assert values(quantities("1.5 million")) == {Fraction("1.5"), 1_500_000}


@pytest.mark.parametrize("text", ["The answer is 12.", "共12个", "so -12 it is not, but 12"])
def test_the_one_number_of_a_sentence(text):
    assert values(only_quantity(text)) == ({12} if text.count("12") == 1 else set())


@each_case("text", ["12 or 13", "B12", "x is 12", "12 > x for all", "12", "I say 5!"])
def test_a_sentence_with_more_than_a_number_has_none(text):
    assert only_quantity(text) == frozenset()


@given(fractions)
def test_a_percentage_equals_its_number_and_its_share(value):
    percent = Quantity(value=value, percent=True)
    for other in (Quantity(value=value), Quantity(value=value / 100), percent):
        assert percent.equals(other)
        assert other.equals(percent)


def test_decimals_are_compared_to_six_places():
    third = Quantity(value=Fraction(1, 3))
    assert third.equals(Quantity(value=Fraction("0.333333"), exact=False))
    assert not third.equals(Quantity(value=Fraction("0.3333"), exact=False))
    assert not third.equals(Quantity(value=Fraction("0.333333")))
    tiny, tinier = (Quantity(value=Fraction(n, 10**7), exact=False) for n in (2, 1))
    assert not tiny.equals(tinier)


def test_numbers_of_different_variables_differ():
    (x,), (y,), (bare,) = quantities("x=5"), quantities("y=5"), quantities("5")
    assert not x.equals(y)
    assert x.equals(bare)
    assert bare.equals(y)


@given(st.text(max_size=30))
def test_no_text_is_too_strange(text):
    quantities(text)
    only_quantity(text)
