"""Split a text into words, each with its script and number of letters."""

import re
from collections.abc import Sequence
from typing import NamedTuple

INSERTION = 2
"""Latin words in a row, at most, that count as an insertion in a text of another script, not as another language."""

MAX_READ = 256
"""Letters of a word that are read: more add no evidence, and lingua takes minutes for a word of a hundred thousand."""

BREAK = "break"
"""The script of the token that stands for the end of a sentence."""

OTHER = "other"
"""The script of a word that no model reads."""

MIXED = "mixed"
"""The script of a word with letters of several scripts that look alike: "\u0440ertama" with a Cyrillic \u0440."""

_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\ua720-\ua7ff\ufb00-\ufb06"
_CYRILLIC = "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f"
_GREEK = "\u0370-\u0373\u0376-\u037d\u037f\u0386\u0388-\u03ff\u1f00-\u1fff"
_ALIKE = f"{_LATIN}{_CYRILLIC}{_GREEK}\u0300-\u036f"
_APOSTROPHES = "'\u2019\u02bb\u02bc\u00b7"
# Letters with their vowel signs, by script; digits and punctuation of the blocks are left out.
_BLOCKS = {
    "Arab": "\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06ef\u06fa-\u06ff"
    "\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdcf\ufdf0-\ufdfb\ufe70-\ufefc",
    "Hebr": "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u05d0-\u05f2\ufb1d-\ufb4f",
    "Deva": "\u0900-\u0963\u0971-\u097f\ua8e0-\ua8ff",
    "Beng": "\u0980-\u09e3\u09f0\u09f1\u09fc",
    "Guru": "\u0a01-\u0a5e\u0a70-\u0a75",
    "Gujr": "\u0a81-\u0ae3\u0af9-\u0aff",
    "Taml": "\u0b82-\u0bd7",
    "Telu": "\u0c00-\u0c63",
    "Thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
    "Geor": "\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2d",
    "Armn": "\u0531-\u0556\u0561-\u0587\ufb13-\ufb17",
    "Hani": "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "Kana": "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff",
    "Hang": "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb",
}
# Scripts that no model reads, listed since their vowel signs would split a word: Oriya, Kannada, Malayalam, Sinhala,
# Lao, Tibetan, Burmese, Ethiopic, Khmer.
_UNREAD = (
    "\u0b00-\u0b65\u0c80-\u0ce3\u0d00-\u0d63\u0d80-\u0ddf\u0e81-\u0ecd"
    "\u0f40-\u0fbc\u1000-\u103f\u1200-\u135f\u1780-\u17d3"
)
_TOKEN = re.compile(
    f"(?P<alike>[{_ALIKE}]+(?:[{_APOSTROPHES}][{_ALIKE}]+)*)"
    + "".join(f"|(?P<{script}>[{letters}]+)" for script, letters in _BLOCKS.items())
    + rf"|(?P<{BREAK}>[.!?…:;\n。！？।॥؟۔։।]+)"
    + rf"|(?P<{OTHER}>[{_UNREAD}]+|[^\W\d_]{{2,}})"
)
_OF_ONE_SCRIPT = {
    script: re.compile(f"[{letters}\u0300-\u036f{_APOSTROPHES}]+")
    for script, letters in (("Latn", _LATIN), ("Cyrl", _CYRILLIC), ("Grek", _GREEK))
}
# Signs on or between letters that are not letters: accents, points, harakat, tatweel, viramas, apostrophes.
_SIGNS = re.compile(
    f"[\u0300-\u036f{_APOSTROPHES}\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u094d\u09cd\u0a4d\u0acd\u0bcd\u0c4d\u0e47-\u0e4e]+"
)


class Word(NamedTuple):
    """A word in lower case, of which the first MAX_READ letters are kept, or a break between sentences (no letters).

    Args:
        script: ISO 15924; OTHER, BREAK or MIXED.
        letters: vowel signs count, accents and apostrophes do not.
        name: whether it has a capital inside a sentence, and so may be a name.
    """

    script: str
    text: str
    letters: int
    name: bool


_END = Word(BREAK, "", 0, False)


def words(text: str) -> list[Word]:
    """Return the words of `text` in order, without single Latin or Greek letters, which may be variables."""
    opens, read = True, []
    for match in _TOKEN.finditer(text):
        script = match.lastgroup
        assert script is not None  # each way to match has a name
        if script == BREAK:
            opens = True
            read.append(_END)
            continue
        word = match[0]
        letters = len(word) if word.isalpha() else len(_SIGNS.sub("", word))
        if script == "alike":
            script = _script_of(word)
            if letters < {"Cyrl": 1, MIXED: 4}.get(script, 2):
                continue
        lower = word.lower()
        read.append(Word(script, lower[:MAX_READ], letters, not opens and lower[0] != word[0]))
        opens = False
    return read


def insertions(words_read: Sequence[Word]) -> set[int]:
    """Return the places of the Latin words of which only one or two stand in a row: names, terms, units."""
    runs: list[list[int]] = [[]]
    for index, word in enumerate(words_read):
        if word.script == "Latn":
            runs[-1].append(index)
        elif word.script != BREAK and runs[-1]:
            runs.append([])
    return {index for run in runs if len(run) <= INSERTION for index in run}


def _script_of(word: str) -> str:
    if word.isascii():
        return "Latn"
    return next((script for script, only in _OF_ONE_SCRIPT.items() if only.fullmatch(word)), MIXED)
