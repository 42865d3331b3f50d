"""Whether what a critique quotes stands in what it was shown, and whether it says anything."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

MAX_QUOTATIONS, MAX_CHARACTERS, MAX_STRETCHES = 50, 50_000, 500
"""quotations of one dimension that are looked up, their characters in all, and the stretches of one of them"""
MIN_LETTERS = 4
"""letters of English that the longest stretch of a quotation must say; a whole part of the work may say less"""
_MARKS = str.maketrans(dict.fromkeys("“”„«»‘’‚`´'", '"'))
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…)\s*")
_SAYS = (
    (3, re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ua000-\ua48f\U00020000-\U0003ffff]")),
    (2, re.compile(r"[\u3041-\u30ff\uac00-\ud7a3\u1200-\u137f\d]")),
)
"""letters of English that a sign says: of Chinese and Yi; of Japanese, Korean and Ethiopic syllables, and of digits"""

_SIGNS = re.compile(r"[\u0900-\u109f\u1700-\u17ff\u1900-\u1cff\ua800-\uabff\U00011000-\U00011fff]")
"""letters and marks of the scripts of South and South-East Asia, of which vowels are marks of a letter"""
MAX_SIGNS = 3
"""marks of one letter that say something: two letters below it and a vowel, in Tibetan"""
_SILENT = (7, 9, 107, 122)
"""combining classes of marks there that are no vowel: dots that make another letter, signs for "no vowel", tones"""


def normalised(text: str) -> str:
    """Return a text as quotations are compared: one case, one kind of quotation mark, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_MARKS).casefold().split())


def quotations(evidence: Any) -> list[str]:
    """Return the quotations of a dimension, a text or a list of texts, without blank ones.

    One that goes beyond MAX_CHARACTERS is "", which stands nowhere.
    """
    given = evidence if isinstance(evidence, list) else [evidence]
    pieces, left = [], MAX_CHARACTERS
    for quotation in given[:MAX_QUOTATIONS]:
        if isinstance(quotation, str) and quotation[: left + 1].strip():
            pieces.append(quotation if len(quotation) <= left else "")
            left -= len(pieces[-1])
    return pieces


class Grounds:
    """Texts that a critique may quote: the question, the trace and the answer (SGCM, section 3.2)."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [normalised(text) for text in texts]
        self._whole = [_stretches(text) for text in self._texts]

    def have(self, quotation: str) -> bool:
        """Return whether one of the texts has a quotation; if `...` leaves words out, its stretches in their order.

        A quotation without a stretch, such as `...`, is in none.
        """
        stretches = _stretches(normalised(quotation))
        return 0 < len(stretches) <= MAX_STRETCHES and any(_has(text, stretches) for text in self._texts)

    def say(self, quotation: str) -> bool:
        """Return whether a quotation stands in a text and says something: MIN_LETTERS, or all that a text has."""
        stretches = _stretches(normalised(quotation))
        enough = any(_information(stretch) >= MIN_LETTERS for stretch in stretches)
        return self.have(quotation) and (enough or stretches in self._whole)


def _stretches(text: str) -> list[str]:
    """Return the stretches of a normalised text between marks of what is left out."""
    stretches = [stretch.strip(' "') for stretch in _ELLIPSIS.split(text)]
    return [stretch for stretch in stretches if stretch]


def _has(text: str, stretches: list[str]) -> bool:
    position = 0
    for stretch in stretches:
        start = text.find(stretch, position)
        if start < 0:
            return False
        position = start + len(stretch)
    return True


def _information(text: str) -> int:
    """Return how many letters of English a text says at least; signs that are neither letter nor digit say nothing."""
    heavy = sum((weight - 1) * len(pattern.findall(text)) for weight, pattern in _SAYS)
    letters = sum(map(str.isalnum, text))
    return heavy + letters + min(MAX_SIGNS * letters, sum(map(_is_vowel_sign, _SIGNS.findall(text))))


def _is_vowel_sign(sign: str) -> bool:
    """Return whether a sign is a vowel, or another letter, that is written as a mark of the one before it."""
    kind = unicodedata.combining(sign)
    return unicodedata.category(sign) in ("Mc", "Mn") and kind not in _SILENT and kind < 200
