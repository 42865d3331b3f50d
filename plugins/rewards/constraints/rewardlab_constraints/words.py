"""Words of a text in any script, and numbers of words where no space parts them."""

import re
import unicodedata
from functools import cache

from rewardlab_constraints.visible import CODES, marks

CHARACTERS = "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters and kana, each of which counts as one word"""
UNMARKED = "\u0e00-\u0e4f\u0e80-\u0ecf\u1000-\u104f\u1780-\u17df"
"""Thai, Lao, Burmese and Khmer, in which nothing parts words"""
LETTERS_A_WORD = 4.17
"""letters of a Thai word in the mean of the Universal Declaration of Human Rights (rewardlab-format's word_count)"""
_CHARACTER = re.compile(f"[{CHARACTERS}]")
_UNMARKED = re.compile(f"[{UNMARKED}]+")
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[\w{marks()}]+")


@cache
def _other_punctuation() -> dict[int, None]:
    return {code: None for code in CODES if unicodedata.category(chr(code))[0] == "P" or chr(code) in PUNCTUATION}


def words(text: str) -> list[str]:
    """Return the words of a text in order: runs of letters, digits and the signs on them, "don't" as two."""
    return [word for word in _word().findall(text) if any(map(str.isalnum, word))]


def without_punctuation(text: str) -> str:
    """Return a text without the punctuation of any script."""
    return text.translate(_other_punctuation())


def bare(text: str) -> list[str]:
    """Return what stands between spaces, without punctuation: "don't" is "dont"."""
    return [word for word in without_punctuation(text).split() if any(map(str.isalnum, word))]


def stripped(word: str) -> str:
    """Return a word without the punctuation before and behind it."""
    start, end = 0, len(word)
    punctuation = _other_punctuation()
    while start < end and ord(word[start]) in punctuation:
        start += 1
    while end > start and ord(word[end - 1]) in punctuation:
        end -= 1
    return word[start:end]


def number_of_words(text: str) -> int:
    """Return the number of words: a Chinese character or a kana is one, whatever the row's language is.

    In Thai and its like it is estimated by the letters, so that nobody hides words in a script without spaces.
    """
    unmarked = sum(sum(map(str.isalpha, run)) for run in _UNMARKED.findall(text))
    text = _UNMARKED.sub(" ", text) if unmarked else text
    characters = len(_CHARACTER.findall(text))
    return round(unmarked / LETTERS_A_WORD) + characters + len(words(_CHARACTER.sub(" ", text) if characters else text))


def letters(word: str) -> list[str]:
    """Return the letters of a word, each with the signs on it: की is one."""
    found: list[str] = []
    for char in unicodedata.normalize("NFC", word):
        if found and unicodedata.category(char).startswith("M"):
            found[-1] += char
        else:
            found.append(char)
    return found


def first_letter(word: str) -> str:
    """Return the first letter of a word without its signs, of a Hangul block its first consonant (ㄲ as ㄱ)."""
    if "가" <= word[:1] <= "힣":
        return "ㄱㄱㄴㄷㄷㄹㅁㅂㅂㅅㅅㅇㅈㅈㅊㅋㅌㅍㅎ"[(ord(word[0]) - ord("가")) // 588]
    return word[:1]
