"""The place of the answer in a completion."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_math.extraction import extract


@pytest.mark.parametrize(
    ("text", "answer"),
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
    assert extract(text, "boxed") == answer


@pytest.mark.parametrize(
    ("text", "answer"),
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
    assert extract(text, "tag") == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("5 plus 2 is 7.", "7"),
        ("so -7", "-7"),
        ("9-7", "7"),
        ("about 1,234.5.", "1,234.5"),
        ("soit 1\u202f234,5 €", "1\u202f234,5"),
        ("3/4 of them", "3/4"),
        ("50% of them", "50%"),
        ("উত্তর ৪২।", "৪২"),
        ("答案是42个", "42"),
        ("7 x2", "7"),
        ("<think>6</think> seven", None),
        ("seven", None),
    ],
)
def test_the_last_number_of_the_response(text, answer):
    assert extract(text, "last_number") == answer


@given(st.text(), st.sampled_from(["boxed", "tag", "last_number"]))
def test_an_answer_is_part_of_the_text(text, kind):
    answer = extract(text, kind)
    assert answer is None or answer in text


@pytest.mark.parametrize("piece", [r"\boxed{", "<answer>", "</answer>", "1,", "1 ", "1\u202f111", "-", "</think>"])
@pytest.mark.parametrize("kind", ["boxed", "tag", "last_number"])
def test_a_long_text_takes_no_longer_than_its_length(piece, kind):
    started = time.process_time()
    extract(piece * (300_000 // len(piece)), kind)
    assert time.process_time() - started < 2.0
