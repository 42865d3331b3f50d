"""What a text says again and again."""

from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_language.loops import RUN, without_loops

SENTENCE = "We count the cards that are left in the box."
CHINESE = "首先我们数一数安娜早上有多少张卡片，然后减去她送出去的卡片，再除以人数。"


@each_case("text", ["", SENTENCE, SENTENCE * 2, CHINESE * 2, "no no no no", "48 - 12 = 36 " * 50, "x y " * 12])
def test_what_is_said_once_or_twice_stays(text):
    assert without_loops(text) == text


@each_case(
    "text, limit",
    [
        (f"{SENTENCE} " * 50, 3 * len(SENTENCE)),
        (f"{SENTENCE.upper()} {SENTENCE} " * 50, 3 * len(SENTENCE)),
        ("".join(f"{number}. {SENTENCE}\n" for number in range(50)), 400),
        ("again " * 500, 60),
        (CHINESE * 50, 3 * len(CHINESE)),
        ("เรานับการ์ดที่เหลืออยู่ในกล่อง" * 50, 120),
        (f"{SENTENCE} " * 50 + CHINESE, 3 * len(SENTENCE) + len(CHINESE)),
    ],
)
def test_a_loop_is_counted_twice(text, limit):
    assert RUN < len(without_loops(text)) <= limit


def test_what_follows_a_loop_stays():
    assert without_loops(f"{SENTENCE} " * 50 + "Then we share them among the children.").endswith("among the children.")


@given(st.text())
def test_a_text_only_loses_words(text):
    left = iter(text)
    assert all(character in left for character in without_loops(text))
