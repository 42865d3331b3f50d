"""Find English that is mixed with another language in the same letters: Hinglish, Spanglish, pinyin between its words.

Letters do not tell: in "final answer check karo" a detector sees English. Function words do. Of the words of a text
that belong to one language beyond doubt (function_words.toml), the share that are no English is the share of the text
that is in another language. Names, quotations and what is set off as a title do not count.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

MIXED = 0.3
"""share of the function words above which a text is mixed: as much as a threshold of .7 leaves to other languages"""
MIN_WORDS, MIN_DISTINCT = 3, 2
"""function words of the other language that a text must have, and how many of them must differ"""
MANY = 5
"""fewer of them must be most of the function words: a title or a phrase has as many"""
MIN_LETTERS = 3
"""letters of the longest of them: codes of languages are words of two"""
MIN_DENSITY = 0.15
"""share of a text's words that must be function words of one of the two: a list of names has hardly any"""
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}+\"|“[^”\n]{1,300}+”|„[^“”\n]{1,300}+[“”]|«[^»\n]{1,300}+»|‘[^’\n]{1,300}+’(?!\w)"
    r"|(?<!\w)'[^'\n]{1,300}+'(?!\w)|(?<![\w*])\*[^*\n]{1,300}+\*(?![\w*])|(?<!\w)_[^_\n]{1,300}+_(?!\w)"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*+|(?P<end>[.!?:;\n]+)")


class Mixing(NamedTuple):
    """The mixture of languages that the function words of a text show.

    Args:
        language: the one beside English.
        share: the part that is in it.
    """

    language: str
    share: float


def mixing_of(text: str) -> Mixing | None:
    """Return the language that a text in English is mixed with; None if it is not. The text is prose."""
    outside = _QUOTED.sub(" ", text)
    if 2 * len(outside.split()) > len(text.split()):  # else the quotation is what the text says
        text = outside
    counts: Counter[str] = Counter()
    distinct: dict[str, set[str]] = {}
    counted = list(_counted(text))
    for word in counted:
        for language in languages_of_word(word):
            counts[language] += 1
            distinct.setdefault(language, set()).add(word)
    english = counts.pop("en", 0)
    if not counts:
        return None
    language = max(counts, key=lambda code: (counts[code], code))
    count = counts[language]
    if count < MIN_WORDS or len(distinct[language]) < MIN_DISTINCT or max(map(len, distinct[language])) < MIN_LETTERS:
        return None
    if count + english < MIN_DENSITY * len(counted):
        return None
    if count <= (MIXED if count >= MANY else 0.5) * (count + english):
        return None
    return Mixing(language, round(count / (count + english), 4))


def languages_of_word(word: str) -> tuple[str, ...]:
    """Return the languages that a word in lower case, without accents, is a function word of."""
    return _languages().get(word, ())


def at_most(on_mixed: float | Literal["abstain"] | None, value: float) -> float | None:
    """Return what a mixed text gets whose value would be this one without a look at its function words."""
    if on_mixed == "abstain":
        return None if value else value
    return value if on_mixed is None else min(value, on_mixed)


def _counted(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, without accents, and without names and the particles before them."""
    read_words = [(match[0], match["end"] is not None) for match in _WORD.finditer(text)]
    capitals = [word[0].isupper() for word, _ in read_words]
    listed = 4 * text.count(",") >= len(read_words)  # of names, say
    named = listed or 5 * sum(capitals) < 4 * len(read_words)  # in a text of capitals they say nothing
    before_name = False
    for index in range(len(read_words) - 1, -1, -1):
        word, is_end = read_words[index]
        plain = _plain(word)
        if is_end or (before_name and plain in _particles()):
            continue
        opens = index == 0 or read_words[index - 1][1]
        before_name = named and capitals[index]
        if not before_name or opens:
            yield plain


def _plain(word: str) -> str:
    word = word.lower().replace("’", "'")
    if word.isascii():
        return word
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    table = tomllib.loads(files(__package__).joinpath("function_words.toml").read_text(encoding="utf-8"))
    return {name: frozenset(words.split()) for name, words in table.items()}


@cache
def _languages() -> Mapping[str, tuple[str, ...]]:
    """Return word -> the languages that it is a function word of."""
    words: dict[str, tuple[str, ...]] = {}
    for language, listed in _lists().items():
        if language != "particles":
            for word in listed:
                words[word] = (*words.get(word, ()), language)
    return words


def _particles() -> frozenset[str]:
    return _lists()["particles"]
