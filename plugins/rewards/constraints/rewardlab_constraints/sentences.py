"""Sentences of a text, by the marks that end them in many scripts."""

import re
from collections.abc import Set as AbstractSet

STOPS = ".!?…。！？｡．।॥؟۔‽"
_WIDE = "。！？｡．।॥"
CLOSING = "\"'”’»›)）]」』*_`"
_END = re.compile(rf"[{re.escape(STOPS)}]+[{re.escape(CLOSING)}]*")
_LIST_NUMBER = re.compile(r"(?:\A|\n)[ \t]*\d+\Z")
MAX_ABBREVIATION = 20


def sentences(text: str, abbreviations: AbstractSet[str] = frozenset()) -> list[str]:
    """Return the sentences of a text, stripped; lines that no mark ends go on in the next one.

    A full stop ends none within a word or number (3.5, example.com), behind an abbreviation, a single capital or a
    number that begins a line, as in a list.
    """
    found, start = [], 0
    for end in _END.finditer(text):
        if _ends(text, end, abbreviations):
            found.append(text[start : end.end()])
            start = end.end()
    found.append(text[start:])
    return [" ".join(sentence.split()) for sentence in found if any(map(str.isalnum, sentence))]


def _ends(text: str, end: re.Match[str], abbreviations: AbstractSet[str]) -> bool:
    marks = end[0]
    if any(mark in _WIDE for mark in marks):
        return True
    behind = text[end.end() : end.end() + 1]
    if behind and not behind.isspace():
        return False
    if marks[0] != "." or marks[:2] == "..":
        return True
    before = text[max(0, end.start() - MAX_ABBREVIATION) : end.start()]
    if _LIST_NUMBER.search(before):
        return False
    word = before.split()[-1].lstrip("(\"'“‘[*_") if before.split() and not before[-1:].isspace() else ""
    return not (word.casefold() in abbreviations or (len(word) == 1 and word.isupper() and word != "I"))
