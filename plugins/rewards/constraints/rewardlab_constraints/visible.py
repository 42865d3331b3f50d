"""Take out of a text what nobody sees, so that no instruction is followed by it."""

import re
import unicodedata
from functools import cache

CODES = (*range(0x20000), *range(0xE0000, 0xE0200))
"""all of Unicode but for Chinese characters beyond the first planes, and what is unassigned or private"""
MAX_MARKS = 8
"""signs on one letter: more are not read, and take time that grows with their square to be put in order"""
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""letters and symbols by category, empty to the eye"""
_LINES = {0x0B: "\n", 0x0C: "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}


@cache
def marks() -> str:
    """Return the class of the signs that belong to the letter before them, such as the vowels of Hindi."""
    ranges: list[list[int]] = []
    for code in CODES:
        if unicodedata.category(chr(code)).startswith("M"):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in ranges)


@cache
def _piled_marks() -> re.Pattern[str]:
    return re.compile(f"([{marks()}]{{{MAX_MARKS}}})[{marks()}]+")


@cache
def _unseen() -> dict[int, str | None]:
    marks = (chr(code) for code in CODES if unicodedata.category(chr(code)) in ("Cf", "Cc", "Cs"))
    unseen = {ord(mark): None for mark in (*marks, *_FILLERS) if mark not in "\t\n"}
    return unseen | _LINES


def visible(text: str) -> str:
    """Return a text without control and format characters (zero-width spaces, joiners, marks of direction).

    Line ends become newlines, and what stands before the first and behind the last sign is cut off.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii() or not text.isprintable():
        text = _piled_marks().sub(r"\1", text.translate(_unseen()))
    return text.strip()


def says_something(text: str) -> bool:
    """Return whether a text has a letter, a digit or a picture, and is more than punctuation and space."""
    return any(char.isalnum() or unicodedata.category(char) == "So" for char in text)
