"""Write the number that an answer says in words in digits: English, Chinese and Japanese ones.

An answer must be a number as a whole, with at most what it counts behind it: "one or two", "five less than ten" and
三角形 (a triangle) are none.
"""

import re

from rewardlab_math import english_numbers, han_numbers

MAX_LENGTH = 120

_INFINITE = re.compile(
    r"(?:infinitely|infinite)(?: many)?(?: (?:solutions|values|numbers|pairs|points))?"
    r"|无穷(?:多个?|大)|无限(?:多个?|大)?|無限(?:大)?",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:minus|negative|moins|menos|meno|минус|负|負|マイナス|마이너스|âm)\s*(?=\d)", re.IGNORECASE)
_LATIN = re.compile(r"[A-Za-z][A-Za-z -]*")


def in_digits(text: str, language: str | None = None) -> str:
    """Return a plain answer (see `notation.plain`) with its number in digits; a text that is no number as it is."""
    if len(text) > MAX_LENGTH:
        return text
    text = _MINUS.sub("-", text) if _MINUS.match(text) else text
    if _INFINITE.fullmatch(text):
        return r"\infty"
    if _LATIN.fullmatch(text):
        return english_numbers.number(text) or text
    is_japanese = language is not None and language.lower().startswith(("ja", "jpn"))
    return han_numbers.number(text.replace(" ", ""), is_japanese=is_japanese) or text
