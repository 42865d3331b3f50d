"""Runs of words that two texts may have in common, in scripts with spaces and in those without.

Letters and digits count, in lower case and NFKC; everything else separates words. Chinese, Japanese, Thai, Lao, Khmer,
Burmese, Tibetan and Yi put no spaces between words: there a run of n words is one of 3n/2 letters, where a letter is a
syllable or more (Chinese characters, kana, Yi), and else of 4n letters and signs, about what they take to say as much.
"""

import re
import unicodedata
from collections.abc import Iterator

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYLLABLES = f"{_HAN}\u3041-\u3096\u30a1-\u30fa\u30fc\ua000-\ua4cf"
_LETTERS = "\u0e00-\u0e4e\u0e80-\u0ecd\u0f40-\u0fbc\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
# a word keeps its vowel signs, which are not letters to \w: blocks of India, accents, Arabic and Hebrew points
_SIGNS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0981-\u0dff"
_TOKEN = re.compile(f"[{_SYLLABLES}]|[{_LETTERS}]|(?:(?![{_SYLLABLES}{_LETTERS}])(?:[^\\W_]|[{_SIGNS}]))+")
_OF_SYLLABLE, _OF_LETTER = re.compile(f"[{_SYLLABLES}]"), re.compile(f"[{_LETTERS}]")


def normal(text: str) -> str:
    """Return the words of a text with one space between; of scripts without spaces each letter is one."""
    return " ".join(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))


def grams(normal_text: str, n: int) -> Iterator[str]:
    """Yield each run of `n` words of a text that `normal` returned. Takes time linear in it."""
    words = normal_text.split()
    for start, word in enumerate(words):
        size = _size(word, n)
        if start + size <= len(words):
            yield " ".join(words[start : start + size])


def _size(first: str, n: int) -> int:
    """Return how many words and letters a run has that begins with this one."""
    if _OF_SYLLABLE.match(first):
        return (3 * n + 1) // 2
    return 4 * n if _OF_LETTER.match(first) else n
