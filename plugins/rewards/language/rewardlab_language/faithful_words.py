"""Words that stand for a figure or for a question mark, by language: faithful.toml."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

SMALLEST = 3
"""the number of the first word of each language"""
UNSPACED = ("ja", "ko", "th", "zh")
"""languages whose words need no space before them, or take endings in front of one"""

PREFIXES = {"ar": "[وفبلك]?(?:ال|ل)?", "he": "[והבלמשכ]{0,2}"}
"""what is written together with the word behind it: and, with, the"""


@cache
def number_words(language: str) -> Mapping[int, re.Pattern[str]]:
    """Return, for each of a few values, what matches a word for it in a text in small letters."""
    words = _table().get(language, {}).get("numbers", ())
    return {value: _starts(word.split("|"), language) for value, word in enumerate(words, SMALLEST)}


@cache
def asking_words(language: str) -> re.Pattern[str] | None:
    """Return a pattern for words that ask or instruct to find something; None if the language has none here."""
    words = _table().get(language, {}).get("asks", ())
    return _starts(words, language) if words else None


def _starts(words: Iterable[str], language: str) -> re.Pattern[str]:
    before = "" if language in UNSPACED else r"(?<!\w)" + PREFIXES.get(language, "")
    return re.compile(before + "(?:" + "|".join(map(re.escape, words)) + ")")


@cache
def _table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    return tomllib.loads(files(__package__).joinpath("faithful.toml").read_text(encoding="utf-8"))
