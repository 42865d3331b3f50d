"""The place of the answer in a completion."""

import re

import pytest
from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_math.extraction import extract


@each_case(
    "text, answer",
    [
        (r"so \boxed{7}", "7"),
        (r"\boxed{6}, no: \boxed{7}", "7"),
        (r"<think>\boxed{6}</think> so \boxed{7}", "7"),
        (r"\boxed{7}<think>\boxed{6}</think> so \boxed{7}", "7"),
        (r"<think>\boxed{7}</think> so 7", "7"),
        (r"<think>I think \boxed{7}", "7"),
        (r"<think>\boxed{7}</think> so \boxed{}", ""),
        ("7", None),
        (r"\boxed{7", None),
    ],
)
def test_the_last_box_which_is_the_response_s_if_it_has_one(text, answer):
    assert extract(text, "boxed") == ([] if answer is None else [answer])


@each_case(
    "text, answer",
    [
        ("<answer> 7 </answer>", "7"),
        ("<answer>6</answer><answer>7</answer>", "7"),
        ("<answer>6<answer>7</answer></answer>", "7"),
        (r"<answer>It is \boxed{7} cm</answer>", "7"),
        ("<think><answer>6</answer></think><answer>7</answer>", "7"),
        ("<think><answer>7</answer></think>", "7"),
        ("<answer></answer>", ""),
        ("<answer>7", None),
        ("7</answer>", None),
        ('<answer of="7">7</answer>', None),
        (r"\boxed{7}", None),
    ],
)
def test_the_last_answer_tag(text, answer):
    assert extract(text, "tag") == ([] if answer is None else [answer])


@each_case(
    "text, answer",
    [
        ("5 plus 2 is 7.", "7"),
        ("so -7", "-7"),
        ("9-7", "9-7"),
        ("9 - 2 = 7", "7"),
        (r"it is $2\sqrt{3}$.", r"2\sqrt{3}"),
        (r"it is 2\sqrt{3}, I say", r"2\sqrt{3}"),
        ("10^3.", "10^3"),
        ("so 2*sqrt(3)", "2*sqrt(3)"),
        ("the point (3, 4)", "(3, 4)"),
        ("12 cm^2", "12 cm^2"),
        (r"$12\text{ cm}^2$", r"12\text{ cm}^2"),
        ("It costs $5 and then $7.", "$7"),
        ("x^2+1", "x^2+1"),
        ("**7**", "7"),
        ("- 7", "7"),
        ("He has 7!", "7"),
        ("about 1,234.5.", "1,234.5"),
        ("soit 1\u202f234,5 €", "1\u202f234,5 €"),
        ("3/4 of them", "3/4"),
        ("50% of them", "50%"),
        ("উত্তর ৪২।", "৪২"),
        ("答案是42个", "42"),
        ("7 x2", "7"),
        ("It is 1.5 million.", "1.5 million"),
        ("一共3万元。", "3万元"),
        ("We arrive at 12:30.", "12:30"),
        ("At 7:30 p.m. we meet.", "7:30 p.m."),
        ("The ratio is 3 : 4.", "3 : 4"),
        ("It is 3½ cups.", "3½"),
        ("It is 3 1/2.", "3 1/2"),
        ("Il y a 1 234 567 habitants.", "1 234 567"),
        ("In 2020 300 came.", "300"),
        ("So 1.2 x 10^3 m/s.", "1.2 x 10^3 m/s"),
        (r"So 1.2 \times 10^3.", r"1.2 \times 10^3"),
        ("The speed is 10 km/h.", "10 km/h"),
        (r"It is $25^\circ$C outside.", r"25^\circ C"),
        (r"\(5\) kg", "5 kg"),
        ("There are 5 in total.", "5"),
        ("5 a day", "5"),
        ("so it is 3n m", "3n"),
        ("It costs -€5.", "-€5"),
        ("He is 5 ft 3 in.", "5 ft 3 in"),
        ("50 percent of them", "50 percent"),
        ("<think>6</think> seven", None),
        ("seven", None),
    ],
)
def test_the_last_number_of_the_response(text, answer):
    assert extract(text, "last_number") == ([] if answer is None else [answer])


@each_case(
    "text, kind, parts",
    [
        (r"\boxed{1} and \boxed{-2}", "boxed", ["1", "-2"]),
        (r"$x=\boxed{1}$ or $x=\boxed{-2}$", "boxed", ["1", "-2"]),
        (r"\boxed{1}. So \boxed{-2}", "boxed", ["-2"]),
        (r"\boxed 42", "boxed", ["42"]),
        ("<answer>1</answer> or <answer>-2</answer>", "tag", ["1", "-2"]),
        (r"<answer>\boxed{1} or \boxed{-2}</answer>", "tag", ["1", "-2"]),
        ("<answer>1</answer><answer>-2</answer>", "tag", ["-2"]),
        ("It is 1 or -2", "last_number", ["1", "-2"]),
        ("$1$ or maybe $x = -2$", "last_number", ["1", "-2"]),
        ("In 2020, 7 of them", "last_number", ["7"]),
    ],
)
def test_places_that_only_a_word_for_and_or_or_parts_are_one_answer(text, kind, parts):
    assert extract(text, kind) == parts


@given(st.text() | st.text(r"01+-*/^(){}[]$\ ,.abx=%", max_size=40), st.sampled_from(["boxed", "tag", "last_number"]))
def test_an_answer_is_part_of_the_text(text, kind):
    bare = re.compile(r"\s|\$|\\[()\[\]]")  # `$5$ kg` is 5 kg
    assert all(bare.sub("", part) in bare.sub("", text) for part in extract(text, kind))


PIECES = [r"\boxed{", r"\boxed{1} or ", r"\boxed 1", "<answer>", "</answer>", "1,", "1 ", "1\u202f111", "-", "</think>"]
PIECES += ["$", "(", r"\(", r"\[", "1+", "$1$ or ", "{1"]


@pytest.mark.parametrize("kind", ["boxed", "tag", "last_number"])
def test_a_long_text_is_read_in_linear_time(kind):
    for piece in PIECES:
        refuse_growth(piece, lambda text: extract(text, kind), many(piece))
