"""Readings of digits and separators."""

from fractions import Fraction

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_math.numerals import readings, writes_decimal_point


@each_case(
    "run, value",
    [
        ("1234", 1234),
        ("007", 7),
        ("1.234,5", 1234.5),
        ("1,234.5", 1234.5),
        ("1 234,5", 1234.5),
        ("1'234.5", 1234.5),
        ("1٬234٫5", 1234.5),
        ("1_000", 1000),
        ("1,234,567", 1234567),
        ("1.234.567", 1234567),
        ("12,34,567", 1234567),
        ("12,34,567.5", 1234567.5),
        ("12 345", 12345),
        ("3.14", 3.14),
        (".5", 0.5),
        ("5.", 5),
    ],
)
def test_most_writings_have_one_reading_in_every_language(run, value):
    expected = {Fraction(str(value))}
    assert readings(run) == expected
    assert readings(run, point_only=True) == expected


@pytest.mark.parametrize(("run", "value"), [("3,5", "3.5"), ("0,125", "0.125"), ("1234,567", "1234.567")])
def test_a_comma_that_groups_nothing_stands_between_two_numbers_where_only_a_point_marks_decimals(run, value):
    assert readings(run) == {Fraction(value)}
    assert readings(run, point_only=True) == frozenset()


def test_one_mark_before_three_digits_depends_on_the_language():
    assert readings("1.234") == readings("1,234") == {Fraction(1234), Fraction("1.234")}
    assert readings("1.234", point_only=True) == {Fraction("1.234")}
    assert readings("1,234", point_only=True) == {Fraction(1234)}


@each_case("run", ["", "1,2,3", "1.2.3", "1 2", "1,234,5", "12,345,67", "1٫234٫5", "..", "1,23.4,5"])
def test_the_rest_is_no_number(run):
    assert readings(run) == frozenset()


@given(st.integers(0, 10**12), st.integers(0, 99))
def test_the_writings_of_many_countries_mean_the_same(whole, cents):
    value = whole + Fraction(cents, 100)
    english = f"{whole:,}.{cents:02}"
    for group, decimal in [(",", "."), (".", ","), (" ", ","), ("'", "."), ("٬", "٫")]:
        assert value in readings(english.translate(str.maketrans(",.", group + decimal)))


@each_case(
    "language, only",
    [
        *(
            (name, True)
            for name in ("en", "en-GB", "ZH_tw", "eng", "eng_Latn", "English", "cmn_Hans", "Chinese (Simplified)")
        ),
        *((name, True) for name in ("Kiswahili", "swh", "hindi", " EN ", "zsm_Latn")),
        *((name, False) for name in ("de", "deu", "German", "Indonesian", "ind_Latn", "", "x", "(", None)),
    ],
)
def test_who_marks_decimals_with_a_point_only(language, only):
    assert writes_decimal_point(language) is only


@given(st.text(st.sampled_from("0123456789.,' _٫٬")))
def test_no_run_is_too_strange(run):
    assert all(value >= 0 for value in readings(run))
