r"""Read written numbers: `1.234` is 1234 in Jakarta and 1.234 in Tokyo.

A run of digits and separators, with digits in ASCII already (see `notation`), has these readings:

- several separators settle it: `1.234,56`, `1,234.56`, `1 234,56`, `1'234.56`, `12,34,567`, `1٬234٫5`;
- one point or comma with other than three digits after it (or a leading zero before it) marks decimals:
  `3,14`, `0,125`; in a language that marks decimals with a point such a comma stands between two numbers;
- one point or comma with exactly three digits after it is ambiguous. In a language that marks decimals with
  a point the usual reading there is the only one. In every other language, and if the language is not
  known, both are given: an answer is right if either is.
"""

import re
from fractions import Fraction

from rewardlab_answers import named_language

# ISO 639-1 (fil has none), ISO 639-3 with the individual languages that data sets name, English names
_POINT_LANGUAGES = """
am amh Amharic|bn ben Bengali Bangla|cy cym Welsh|en eng English|fil fil Filipino|ga gle Irish|gu guj Gujarati
ha hau Hausa|he iw heb Hebrew|hi hin Hindi|ig ibo Igbo|ja jpn Japanese|kn kan Kannada|ko kor Korean|ml mal Malayalam
mr mar Marathi|ms msa zsm Malay|mt mlt Maltese|my mya Burmese|ne nep npi Nepali|or ori ory Odia Oriya|pa pan Punjabi
sd snd Sindhi|si sin Sinhala Sinhalese|so som Somali|sw swa swh Swahili Kiswahili|ta tam Tamil|te tel Telugu|th tha Thai
tl tgl Tagalog|ur urd Urdu|yo yor Yoruba|zh zho cmn Chinese Mandarin|zu zul Zulu
"""
POINT_LANGUAGES = frozenset(name.lower() for name in _POINT_LANGUAGES.replace("|", " ").split())
"""codes and English names, in small letters, of languages in which only the point marks decimals"""

_GROUP_MARKS = frozenset(" '_٬")
_DECIMAL_MARKS = frozenset(".,٫")
_RUN = re.compile(r"\d+|[.,٫٬'_ ]")
NUMERAL = r"(?:\d(?:[\d.,٫٬'_]|[ ](?=\d))*|[.,٫]\d+)"
UNSPACED_NUMERAL = r"(?:\d[\d.,٫٬'_]*|[.,٫]\d+)"
"""Patterns of runs that may be numbers; `readings` decides."""


def writes_decimal_point(language: str | None) -> bool:
    """Return whether a language marks decimals only with a point.

    Args:
        language: a code, "en", "eng", "en-GB", "eng_Latn", or a name, "English", "Japanisch", "Chinese
            (Simplified)".
    """
    if language is None:
        return False
    return (named_language(language) or re.split(r"[-_ (]", language.strip().lower())[0]) in POINT_LANGUAGES


def readings(run: str, *, point_only: bool = False) -> frozenset[Fraction]:
    """Return the values that a run of ASCII digits and separators may have; empty if it is not a number.

    Args:
        point_only: the language marks decimals only with a point.
    """
    parts = _RUN.findall(run.strip().rstrip(".,"))
    digits = [part for part in parts if part.isdigit()]
    marks = [part for part in parts if not part.isdigit()]
    if parts and not parts[0].isdigit():  # .5
        digits.insert(0, "0")
    if len(digits) != len(marks) + 1:
        return frozenset()
    if not marks:
        return frozenset({Fraction(int(digits[0]))})
    if len(marks) == 1:
        return _one_mark(digits, marks[0], point_only)
    if len(set(marks)) == 1:
        grouped = marks[0] != "٫" and _grouped(digits)
        return frozenset({_value(digits, None)}) if grouped else frozenset()
    *grouping, mark = marks
    if mark in _DECIMAL_MARKS and len(set(grouping)) == 1 and mark not in grouping and _grouped(digits[:-1]):
        return frozenset({_value(digits[:-1], digits[-1])})
    return frozenset()


def _one_mark(digits: list[str], mark: str, point_only: bool) -> frozenset[Fraction]:
    grouped, decimal = _value(digits, None), _value(digits[:1], digits[1])
    if mark in _GROUP_MARKS:
        return frozenset({grouped}) if _grouped(digits) else frozenset()
    if mark == "," and point_only and not _grouped(digits):  # two numbers
        return frozenset()
    if mark == "٫" or not _grouped(digits):
        return frozenset({decimal})
    if point_only:
        return frozenset({decimal if mark == "." else grouped})
    return frozenset({decimal, grouped})


def _grouped(digits: list[str]) -> bool:
    """Return whether the runs are a number in groups: by thousands (1 234 567) or as in India (12 34 567)."""
    first, *middle, last = digits
    if len(last) != 3 or first.startswith("0"):
        return False
    thousands = 1 <= len(first) <= 3 and all(len(group) == 3 for group in middle)
    indian = 1 <= len(first) <= 2 and all(len(group) == 2 for group in middle)
    return thousands or indian


def _value(whole: list[str], decimals: str | None) -> Fraction:
    return Fraction("".join(whole) + (f".{decimals}" if decimals else ""))
