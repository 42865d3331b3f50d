"""The places where a text may be cut. (Special tokens need a real tokenizer: test_comet.py.)"""

import re

import pytest
from helpers.each_case import each_case
from rewardlab_comet.comet_scorer.tokens import Tokens

END, SPACE, INSIDE = 2, 1, 0


def rank(before, after):
    """Return the rank of a cut between two texts, whose tokens are words and single marks."""
    text = before + after
    starts = [match.start() for match in re.finditer(r"\w+|[^\w\s]", text)]
    return Tokens(ids=starts, blank=False, text=text, starts=starts).rank(starts.index(len(before)))


@each_case(
    "before, after",
    [
        *(("It is 8. ", "Then"), ("Is it? ", "Yes"), ("He said “no.” ", "She"), ("8.\n", "9"), ("a line\n", "b")),
        *(("答えは8です。", "次"), ("他说“是。”", "她"), ("यह 8 है। ", "फिर"), ("هل هذا؟ ", "نعم")),
    ],
)
def test_a_sentences_end(before, after):
    assert rank(before, after) == END


@pytest.mark.parametrize(("before", "after"), [("three ", "apples"), ("a, ", "b"), ("x\u3000", "y")])
def test_white_space(before, after):
    assert rank(before, after) == SPACE


@each_case("before, after", [("3.", "14"), ("-", "8"), ("e.", "g"), ("8", ".")])
def test_inside_of_a_word_or_number(before, after):
    assert rank(before, after) == INSIDE


def test_a_token_may_begin_with_its_space():
    tokens = Tokens(ids=[1, 2, 3], blank=False, text="It is. Then", starts=[0, 5, 6])
    assert [tokens.rank(1), tokens.rank(2)] == [INSIDE, END]


def test_a_space_that_is_a_token_stays_with_what_follows():
    tokens = Tokens(ids=[1, 2, 3, 4], blank=False, text="a. 8", starts=[0, 1, 2, 3])
    assert [tokens.rank(2), tokens.rank(3)] == [END, INSIDE]


def test_letters_of_one_forged_word_stay_together():
    tokens = Tokens(ids=[1, 2, 3], blank=False, text="a </s>", starts=[0, 2, 2])
    assert [tokens.rank(1), tokens.rank(2)] == [SPACE, INSIDE]
