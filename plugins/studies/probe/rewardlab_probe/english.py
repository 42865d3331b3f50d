"""Whether a text is seen to be English: by its common words, one of them at least a word of English alone."""

import re
from collections.abc import Sequence

MIN_SHARE, MIN_DIFFERENT = 0.2, 2
"""The share of a text's letters that common words must have, and how many different ones there must be."""
MIN_PLAIN = 0.7
"""The share of a text's letters that words without accents and in Latin letters must have."""
MIN_WORDS = 4
"""The words without accents that a text must have, and no others, to be English beside one in other letters."""
_OWN = (
    "the and that this these those which what whose with from they them their there its you your she his who each "
    "every many much how why when where while because therefore then thus hence since would could should might cannot "
    "into both only between before after about been does makes make gives give gets get left takes take remains remain "
    "equals add adding subtract subtracting multiply multiplying divide dividing answer number numbers using whatever "
    "today first than better one two three four five seven eight nine eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"
)
"""Common words that hardly another language writes."""
_SHARED = (
    "a an as at are be by can did do for had has have he her him i if in is it last less let me more most must my no "
    "not of on or our out over she so some sum to total under up us was we were will"
)
"""Common words that German, Dutch, Danish, a Romance language or some other writes as well."""
_OWN_WORDS, _COMMON_WORDS = frozenset(_OWN.split()), frozenset((_OWN + " " + _SHARED).split())
_NO_PROSE = re.compile(r"```.*?(?:```|\Z)|\$[^$]*\$|\\[A-Za-z]+|</?\w+>", re.DOTALL)
"""Blocks of code, formulas, commands of LaTeX, tags."""
_WORD = re.compile(r"[^\W\d_]+")


def is_english(text: str, beside: str = "") -> bool:
    """Return whether a text is seen to be English; a number, a formula or a name alone is not.

    Args:
        beside: a text in another language. Where that is in other letters than Latin ones, some words in these are
            enough.
    """
    words, others = _words(text), _words(beside)
    common = [word for word in words if word in _COMMON_WORDS]
    different, letters, plain = set(common), _letters(words), _plain(words)
    in_other_letters = _plain(others) < (1 - MIN_PLAIN) * _letters(others)
    if in_other_letters and len(words) >= MIN_WORDS and plain == letters:
        return True
    if len(different) < MIN_DIFFERENT or not different & _OWN_WORDS:
        return False
    return _letters(common) >= MIN_SHARE * letters and plain >= MIN_PLAIN * letters


def _words(text: str) -> list[str]:
    return _WORD.findall(_NO_PROSE.sub(" ", text).casefold())


def _plain(words: Sequence[str]) -> int:
    return _letters([word for word in words if word.isascii()])


def _letters(words: Sequence[str]) -> int:
    return sum(map(len, words))
