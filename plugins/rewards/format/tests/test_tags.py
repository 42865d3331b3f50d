import re

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from rewardlab import Completion, Context, Sample, find

SPEC = find("reward", "format/tags")


def judge(text, *tags):
    options = SPEC.config(tags=tags) if tags else SPEC.config()
    (score,) = SPEC.build(options, Context()).score([(Sample(), Completion(text=text))])
    return score


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think><answer>b</answer>",
        "  <think>\na\n</think>\n\n<answer>b</answer>\n",
        "<think>1 < 2 and <b>bold</b></think><answer>b</answer>",
    ],
)
def test_each_tag_once_in_order_with_text_inside(text):
    assert judge(text).value == 1.0


@each_case(
    "text, reason",
    [
        ("", "no <think>"),
        ("<think>a</think>", "no <answer>"),
        ("<think>a<answer>b</answer>", "no </think>"),
        ("<answer>b</answer><think>a</think>", "tags in the wrong order"),
        ("<think>a<answer>b</think></answer>", "tags in the wrong order"),
        ("<think>a</think><answer>b</answer><answer>c</answer>", "<answer> more than once"),
        ("<think></think><answer>b</answer>", "nothing inside <think>"),
        ("<think>a</think><answer> \n</answer>", "nothing inside <answer>"),
        ("<think>\u200b</think><answer>b</answer>", "nothing inside <think>"),
        ("<think>\ufe0f\u0301</think><answer>b</answer>", "nothing inside <think>"),
        ("hello <think>a</think><answer>b</answer>", "text outside the tags"),
        ("<think>a</think> so <answer>b</answer>", "text outside the tags"),
        ("<think>a</think><answer>b</answer>!", "text outside the tags"),
        ('<think>a</think><answer class="x">b</answer>', "no <answer>"),
        ("<Think>a</Think><answer>b</answer>", "no <think>"),
    ],
)
def test_anything_else_earns_nothing_and_says_why(text, reason):
    score = judge(text)
    assert (score.value, score.info["reason"]) == (0.0, reason)


def test_the_tags_are_those_of_the_recipe():
    assert judge("<plan>a</plan><code>b</code><test>c</test>", "plan", "code", "test").value == 1.0


@each_case("tags", [(), ("a", "a"), ("a b",), ("<a>",), ("",)])
def test_tags_that_cannot_be_are_refused(tags):
    with pytest.raises(ValidationError):
        SPEC.config(tags=tags)


def test_a_long_text_takes_no_longer_than_its_length():
    assert judge("<think>" * 50_000).value == 0.0
    assert judge("<think>" + "a " * 500_000 + "</think><answer>b</answer>").value == 1.0


@given(st.lists(st.sampled_from(["<think>", "</think>", "<answer>", "</answer>", "x", " ", "<", ">"]), max_size=9))
def test_a_point_means_a_full_match(pieces):
    text = "".join(pieces)
    match = re.fullmatch(r"\s*<think>(.+?)</think>\s*<answer>(.+?)</answer>\s*", text, re.DOTALL)
    once = all(text.count(tag) == 1 for tag in ("<think>", "</think>", "<answer>", "</answer>"))
    expected = match is not None and once and all(body.strip() for body in match.groups())
    assert judge(text).value == float(expected)
