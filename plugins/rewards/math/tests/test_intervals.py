r"""Intervals as schoolbooks of many countries write them."""

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Sample
from rewardlab_math.accuracy import Accuracy
from rewardlab_math.intervals import standard
from rewardlab_math.options import AccuracyOptions


@each_case(
    "written, read",
    [
        ("[0;1]", "[0, 1]"),
        ("[0;1[", "[0, 1)"),
        ("]0;1]", "(0, 1]"),
        ("]0;1[", "(0, 1)"),
        ("[0,1[", "[0, 1)"),
        ("]0,5;1]", "(0.5, 1]"),
        (r"\left]-\infty;2\right]", r"(-\infty, 2]"),
        (r"]0;1[\cup]2;3]", r"(0, 1)\cup(2, 3]"),
        (r"[0;1[ U [2;3[", r"[0, 1) \cup [2, 3)"),
        (r"x \in ]-\infty;1[\cup]2;3[", r"x \in (-\infty, 1)\cup(2, 3)"),
        (r"S = [0;1[", r"S = [0, 1)"),
        (r"\mathbb{L}=[0;1[", r"\mathbb{L}=[0, 1)"),
        ("[1 000;2 000]", "[1000, 2000]"),
    ],
)
def test_are_read_by_the_side_that_their_brackets_turn_to(written, read):
    assert standard(written, point_only=False).replace("  ", " ") == read


def test_a_comma_between_semicolons_groups_digits_where_only_a_point_marks_decimals():
    assert standard("[1,000;2.5]", point_only=True) == "[1000, 2.5]"


OTHERS = ["12", "(1,2)", "[1;2;3]", "[[1,2],[3,4]]", "x_{[0;1]}", "]1;", "f[0;1]", "{1;2}", r"x \in", r"\infty[0;1]"]


@each_case("text", OTHERS)
def test_anything_else_stays(text):
    assert standard(text, point_only=False) == text


@given(st.text(st.sampled_from(r"[]();,01. \cupU"), max_size=40))
def test_no_text_is_too_strange(text):
    assert isinstance(standard(text, point_only=False), str)


RIGHT = [("[0,1]", "[0;1]"), ("[0,1)", "[0;1["), ("(0,1]", "]0;1]"), ("(0,1)", "]0;1["), ("[0;1[", "[0,1)")]
WRONG = [("(0,1)", "[0;1]"), ("[0,1]", "]0;1["), ("[0,1)", "]0;1]"), ("[0;1[", "]0;1[")]
RIGHT += [("[0,1)", r"x \in [0;1["), ("[0,1)", "S = [0;1["), ("[1000,2000]", "[1 000;2 000]")]
WRONG += [(r"x \in [0,1)", r"y \in [0;1["), ("[0,1)", r"x \in [0;1]"), ("[1,2]", "[1 000;2 000]")]
WRONG += [("[0,1]", "[0;2]"), ("0.1", "[0;1]")]


@pytest.mark.slow
@each_case("gold, answer, value", [*((*case, 1.0) for case in RIGHT), *((*case, 0.0) for case in WRONG)])
def test_an_open_end_is_no_closed_one(gold, answer, value):
    sample = Sample(id="1", prompt="?", fields={"answer": gold, "language": "fr"})
    [found] = Accuracy(AccuracyOptions()).score([(sample, Completion(text=rf"\boxed{{{answer}}}"))])
    assert found.value == value, found
