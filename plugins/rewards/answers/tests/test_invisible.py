"""What nobody sees of a text."""

import unicodedata

from helpers.each_case import each_case
from rewardlab_answers import is_blank, without_format_marks

SPACES = ["", " ", "\n\t", "\u00a0", "\u3000", "\u2028"]
FORMAT = ["\u200b", "\ufeff", "\u200f", "\u2065", "\ufff0", "\U000e0001", "\U000e01ff"]
MARKS = ["\u0301", "\u034f", "\ufe0f", "\u17b5", "\u0903", "\U000e0100"]
FILLERS = ["\u115f", "\u2800", "\u3164", "\uffa0", "\x00", "\ud800"]


@each_case("text", [*SPACES, *FORMAT, *MARKS, *FILLERS, "".join([*SPACES, *FORMAT, *MARKS, *FILLERS])])
def test_nothing_to_see(text):
    assert is_blank(text)


@each_case("text", ["0", ".", "-", "答", "\u200fא", "é", "e\u0301", "कि", "👍\ufe0f", "\u200b.\u200b"])
def test_something_to_see(text):
    assert not is_blank(text)


def test_marks_of_direction_go_and_letters_keep_theirs():
    assert without_format_marks("\u200f4\u200e \u2066कि\u2069\u200b") == "4 कि"
    every = "".join(map(chr, (*range(0x20000), *range(0xE0000, 0xE0200))))
    gone = set(every) - set(without_format_marks(every))
    assert gone >= {sign for sign in every if unicodedata.category(sign) == "Cf"}
    assert {unicodedata.category(sign) for sign in gone} <= {"Cf", "Cn"}  # of a newer Unicode
