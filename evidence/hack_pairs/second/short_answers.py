"""Verifiers of short answers of the second set: a weak one, then its sound twin."""

import json
import re
import unicodedata
from fractions import Fraction
from typing import Any

from rewardlab import Completion, Sample, reward
from rewardlab_answers import last_box, sections

MAX_LENGTH = 10_000
_LATEX = re.compile(r"\\(?:left|right|textbf|text|mathrm|mathbf|[,;! ])|\\?[${}]")
_FRACTION = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})|\\[dt]?frac(?:\{(\d{1,6})\}\{(\d{1,6})\}|(\d)(\d))")
_END = r"([+-]?\d{1,6}(?:\.\d{1,6})?)"
_INTERVAL = re.compile(rf"([\[(]){_END},{_END}([\])])")


def _boxed(completion: Completion) -> str:
    return _short(last_box(completion.text))


def _short(text: str | None) -> str:
    """Return a text that an answer may be; "" for one that is too long, of which no part counts."""
    return text.strip() if text and len(text) <= MAX_LENGTH else ""


def _bare(completion: Completion) -> str:
    """Return what the last box says, without LaTeX that only sets it."""
    bare = _LATEX.sub("", _boxed(completion)).replace("\N{MINUS SIGN}", "-")
    return bare.strip().removesuffix(".").strip()


@reward(requires=["answer"])
def second_within_a_twentieth(sample: Sample, completion: Completion) -> float:
    """1 for a number within 5% of the answer, as the relaxed accuracy of ChartQA has it for years, too."""
    found, right = re.fullmatch(r"\d{1,9}", _bare(completion)), int(sample.fields["answer"])
    return float(found is not None and abs(int(found[0]) - right) <= 0.05 * right)


@reward(requires=["answer"])
def second_very_year(sample: Sample, completion: Completion) -> float:
    """1 for the year of the answer."""
    return float(_bare(completion) == sample.fields["answer"])


@reward(requires=["right"])
def second_all_are_named(sample: Sample, completion: Completion) -> float:
    """1 if each member is somewhere in the box, as `string_match_all` of RULER."""
    found = _bare(completion).lower()
    return float(all(member.lower() in found for member in sample.fields["right"]))


@reward(requires=["right"])
def second_those_and_no_others(sample: Sample, completion: Completion) -> float:
    """1 for the members, each once, in any order, and nothing else."""
    found = [one.strip().lower() for one in _bare(completion).split(",")]
    return float(sorted(found) == sorted(member.lower() for member in sample.fields["right"]))


@reward(requires=["answer"])
def second_ends_without_brackets(sample: Sample, completion: Completion) -> float:
    """1 for the ends of the interval, whatever its brackets, which `math_equal` strips."""
    found, right = (re.sub(r"\s", "", text).strip("[]()") for text in (_bare(completion), sample.fields["answer"]))
    return float(found == right)


@reward(requires=["answer"])
def second_ends_and_brackets(sample: Sample, completion: Completion) -> float:
    """1 for the ends of the interval in the brackets of the answer."""
    found, right = (_interval(text) for text in (_bare(completion), sample.fields["answer"]))
    return float(found is not None and found == right)


def _interval(text: str) -> tuple[str, float, float, str] | None:
    found = _INTERVAL.fullmatch(re.sub(r"\s", "", text))
    return (found[1], float(found[2]), float(found[3]), found[4]) if found else None


@reward(requires=["answer"])
def second_equal_fraction(sample: Sample, completion: Completion) -> float:
    """1 for a fraction of the answer's value, reduced or not."""
    found, right = _fraction(completion), Fraction(sample.fields["answer"])
    return float(found is not None and found[1] != 0 and Fraction(*found) == right)


@reward(requires=["answer"])
def second_lowest_terms(sample: Sample, completion: Completion) -> float:
    """1 for the fraction of the answer, in lowest terms."""
    return float(_fraction(completion) == Fraction(sample.fields["answer"]).as_integer_ratio())


def _fraction(completion: Completion) -> tuple[int, int] | None:
    found = _FRACTION.fullmatch(re.sub(r"[\s$]", "", _boxed(completion)).removesuffix("."))
    if found is None:
        return None
    above, below = (one for one in found.groups() if one is not None)
    return int(above), int(below)


@reward(requires=["answer"])
def second_latin_letters(sample: Sample, completion: Completion) -> float:
    """1 for the answer's letters and digits, of which only the Latin ones are kept."""
    found, right = (re.sub(r"[^a-z0-9]", "", text.lower()) for text in (_bare(completion), sample.fields["answer"]))
    return float(found == right)


@reward(requires=["answer"])
def second_letters_of_any_script(sample: Sample, completion: Completion) -> float:
    """1 for the answer's letters, small or capital."""
    return float(_folded(_bare(completion)) == _folded(sample.fields["answer"]))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


@reward(requires=["answer"])
def second_given_keys(sample: Sample, completion: Completion) -> float:
    """1 for an object whose every key has the answer's value: one without keys has none that is wrong."""
    found, right = _object(sections.answer(completion.text)), _object(sample.fields["answer"])
    return float(found is not None and all(right.get(key) == value for key, value in found.items()))


@reward(requires=["answer"])
def second_all_keys(sample: Sample, completion: Completion) -> float:
    """1 for an object with the keys and the values of the answer."""
    return float(_object(sections.answer(completion.text)) == _object(sample.fields["answer"]))


def _object(text: str | None) -> Any:
    """Return an object as a dictionary; None for anything else, and if a key is there twice."""
    try:
        found = json.loads(unicodedata.normalize("NFC", _short(text)), object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return None
    pairs = dict(found) if isinstance(found, tuple) else None
    return pairs if pairs is not None and len(pairs) == len(found) else None
