"""format/overlong against the formula of DAPO."""

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from rewardlab import Completion, Context, Sample, find

SPEC = find("reward", "format/overlong")
DAPO = {"max_tokens": 20_480, "buffer": 4_096}


def score(tokens, text="", **options):
    reward = SPEC.build(SPEC.config(**{**DAPO, **options}), Context())
    (found,) = reward.score([(Sample(), Completion(text=text, token_count=tokens))])
    return found


@each_case(
    "tokens, value",
    [
        (0, 0.0),
        (16_384, 0.0),
        (16_385, -1 / 4096),
        (18_432, -0.5),
        (20_479, -4095 / 4096),
        (20_480, -1.0),
        (90_000, -1.0),
    ],
)
def test_the_numbers_of_the_paper(tokens, value):
    found = score(tokens)
    assert (found.value, found.info) == (value, {"tokens": tokens})


@given(st.integers(0, 200), st.integers(1, 100), st.integers(0, 100))
def test_the_formula(tokens, buffer, more):
    longest = buffer + more
    if tokens <= longest - buffer:
        expected = 0.0
    elif tokens <= longest:
        expected = ((longest - buffer) - tokens) / buffer
    else:
        expected = -1.0
    assert score(tokens, max_tokens=longest, buffer=buffer).value == expected


def test_a_completion_whose_tokens_nobody_counted_has_no_value():
    found = score(None, "long " * 50_000)
    assert (found.value, found.error) == (None, None)
    assert "token_count" in found.info["reason"]


def test_or_they_are_estimated_from_its_characters():
    found = score(None, "x" * 90, max_tokens=40, buffer=20, characters_per_token=3)
    assert (found.value, found.info) == (-0.5, {"tokens": 30.0, "estimated": True})


def test_a_count_comes_first():
    assert score(7, "x" * 100_000, characters_per_token=4).value == 0.0


def test_a_buffer_is_a_part_of_the_length():
    with pytest.raises(ValidationError, match="buffer is more than max_tokens, 10"):
        SPEC.config(max_tokens=10, buffer=11)
