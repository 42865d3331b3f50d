"""Which two texts are compared."""

import pytest
from helpers.each_case import each_case
from rewardlab import Sample
from rewardlab_answers import compared_texts

WHOLE = "<think> I add. </think><answer> 7 </answer>"


def read(text, reference, part="reasoning"):
    found = compared_texts(text, Sample(fields={"reference": reference}), part, "reference")
    return found.prediction, found.reference, found.problem


@pytest.mark.parametrize(
    ("part", "expected"),
    [("reasoning", "I add."), ("answer", "7"), ("response", "<answer> 7 </answer>")],
)
def test_the_same_part_is_read_on_both_sides(part, expected):
    assert read(WHOLE, WHOLE, part) == (expected, expected, None)


@pytest.mark.parametrize("part", ["reasoning", "answer", "response"])
def test_a_reference_without_tags_is_taken_whole(part):
    assert read(WHOLE, " We add them. ", part)[1] == "We add them."


def test_a_number_is_a_reference():
    assert read("<answer>7</answer>", 7, "answer") == ("7", "7", None)


@pytest.mark.parametrize(
    "text", ["no tags at all", "<think> </think><answer>7</answer>", "", "<think>\u200b\u034f</think>7"]
)
def test_a_response_without_the_part_is_blank(text):
    assert read(text, WHOLE) == ("", "I add.", None)


@pytest.mark.parametrize("part", ["answer", "response"])
def test_a_draft_in_thoughts_that_do_not_end_is_not_compared(part):
    assert read("<think>Perhaps <answer>7</answer>", WHOLE, part)[0] == ""


@each_case(
    "reference, why",
    [
        ("<answer>7</answer>", "has no reasoning, or a blank one"),
        ("<think>\n</think>", "has no reasoning, or a blank one"),
        (" \n", "nothing but blanks"),
        ("\u200b\u2800", "nothing but blanks"),
        (None, "must hold text, not NoneType"),
        (["a"], "must hold text, not list"),
        (True, "must hold text, not bool"),
    ],
)
def test_a_reference_without_text_is_a_problem(reference, why):
    assert why in read(WHOLE, reference)[2]
