"""Wrong answers that need no model."""

import random
from decimal import Decimal

import pytest
from rewardlab_rubric.data_steps.corruptions import CORRUPTIONS, Numbers

NUMBERS = Numbers(deviation=3.0)


def drawn(name, answer, question="", numbers=NUMBERS, tries=300):
    return [CORRUPTIONS[name](answer, question, random.Random(seed), numbers) for seed in range(tries)]


@pytest.mark.parametrize(
    ("name", "answer"),
    [("brackets", "] ) }"), ("brackets", ">"), ("words", "ant bee cow"), ("number", "-13"), ("count", "1")],
)
def test_none_is_the_right_answer_and_each_follows_from_its_seed(name, answer):
    made = drawn(name, answer, "{ ( [ <")
    assert answer not in made
    assert made == drawn(name, answer, "{ ( [ <")
    assert len(set(made)) > 1


def test_brackets_are_deleted_swapped_and_inserted_about_as_often():
    lengths = [len(wrong.split()) for wrong in drawn("brackets", "] ) }", "{ ( [")]
    assert {length: 80 < lengths.count(length) < 120 for length in (2, 3, 4)} == {2: True, 3: True, 4: True}
    assert {mark for wrong in drawn("brackets", "] ) }", "{ ( [") for mark in wrong} == set("{([])} ")


def test_brackets_without_blanks_stay_so():
    assert all(" " not in wrong for wrong in drawn("brackets", "])", "[("))


def test_equal_brackets_are_not_swapped():
    assert {len(wrong.split()) for wrong in drawn("brackets", ") )", "( (")} == {1, 3}


def test_two_words_change_their_places_and_commas_stay():
    assert set(drawn("words", "ant, bee, cow")) == {"bee, ant, cow", "cow, bee, ant", "ant, cow, bee"}
    assert set(drawn("words", "ant ant bee")) == {"bee ant ant", "ant bee ant"}


def test_numbers_are_off_by_the_deviation_and_keep_their_decimals():
    off = [int(wrong) - 100 for wrong in drawn("number", "100", tries=2000)]
    assert 2.7 < (sum(one * one for one in off) / len(off)) ** 0.5 < 3.4  # 0 is drawn again
    assert all(Decimal(wrong).as_tuple().exponent == -2 for wrong in drawn("number", "1.50"))
    assert all(abs(int(wrong) - 1000) < 20 for wrong in drawn("number", "1,000"))


def test_numbers_around_a_mean_are_so_wherever_the_right_one_is():
    made = [int(wrong) for wrong in drawn("number", "5000", numbers=Numbers(deviation=3.0, mean=10.0))]
    assert 9 < sum(made) / len(made) < 11


def test_the_largest_numbers_and_deviations_do_not_fail():
    for answer in ("9" * 15, "-999,999,999,999,999.123456789", "0"):
        assert all(wrong != answer for wrong in drawn("number", answer, numbers=Numbers(deviation=9e14)))


def test_counts_are_not_below_0():
    assert min(map(int, drawn("count", "1"))) == 0
    assert min(map(int, drawn("number", "1"))) < 0


def test_a_deviation_far_below_a_unit_still_gives_another_number():
    assert set(drawn("number", "7", numbers=Numbers(deviation=1e-9), tries=2)) == {"8"}


@pytest.mark.parametrize(
    ("name", "answer", "what"),
    [
        ("number", "many", "'many' is no number"),
        ("number", "NaN", "'NaN' is no number"),
        ("number", "1,5", "'1,5' is no number"),
        ("number", "9" * 16, "is no number"),
        ("words", "ant", "no list of words"),
        ("words", "ant ant", "no list of words"),
        ("brackets", "", "no brackets"),
    ],
)
def test_what_has_no_wrong_answer_of_that_sort_is_refused(name, answer, what):
    with pytest.raises(ValueError, match=what):
        drawn(name, answer)
