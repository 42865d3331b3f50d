"""Gold answers as data sets write them."""

import pytest
from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.gold_text import BrokenGold


def read(value, language=None):
    return golds(value, language, 2.0)


def values(value, language=None):
    return {float(quantity.value) for gold in read(value, language) for quantity in gold.quantities}


@each_case(
    "value",
    [
        42,
        42.0,
        "42",
        "#### 42",
        "6 * 7 = 42\n#### 42",
        r"\boxed{42}",
        r"so \boxed{42}.",
        "$42$",
        "৪২",
        "42 km",
    ],
)
def test_one_number_in_many_forms(value):
    assert values(value) == {42}


def test_thousands_are_separated_as_in_the_language():
    assert values("1,234") == values("1,234", "en") == {1234}
    assert values("1.234") == values("1.234", "en") == {1.234}
    assert values("1.234", "de") == {1.234, 1234}
    assert values("1.234.567,8") == {1234567.8}


def test_any_of_a_list_is_right():
    assert [gold.text for gold in read(["1/2", 3])] == ["1/2", "3"]


@each_case(
    "value, kind", [("Paris", "words"), ("B", "choice"), (True, "words"), ("(1,2)", "formula"), ("1,2", "formula")]
)
def test_words_and_choices_are_no_formulas(value, kind):
    (gold,) = read(value)
    assert gold.kind == kind
    assert bool(gold.formulas) == (kind == "formula")


def test_a_term_is_no_number_with_a_unit():
    assert values("3t") == set()
    assert values("3 t") == {3}


def test_a_gold_answer_that_takes_too_long_to_read_says_so():
    (gold,) = read("10^{10^{10}}")
    assert gold.formulas == ()
    assert "digits" in gold.refused


@each_case(
    "value, why",
    [
        (None, "null"),
        ([], "empty list"),
        ([None], "null"),
        ([["1"]], "list"),
        ({"a": 1}, "dict"),
        (float("nan"), "nan"),
        (10**3000, "too long"),
        ("x" * 3000, "3000 characters"),
        ("", "holds no answer"),
        ("$$", "holds no answer"),
        ("12 ####", "holds no answer"),
        (r"\boxed{}", "holds no answer"),
    ],
)
def test_a_broken_gold_answer_is_an_error_that_says_why(value, why):
    with pytest.raises(BrokenGold, match=why):
        read(value)


@pytest.mark.parametrize("value", [r"\frac{1}{", "2 + + )"])
def test_a_gold_answer_that_cannot_be_read_says_so_and_has_only_its_writing(value):
    (gold,) = read(value)
    assert (gold.formulas, gold.refused) == ((), "it cannot be read as mathematics")


def test_a_label_before_an_answer_is_another_right_answer():
    label, answer = read("C. x = 42")
    assert (label.kind, label.text, label.is_label) == ("choice", "C", True)
    assert {quantity.value for quantity in answer.quantities} == {42}
