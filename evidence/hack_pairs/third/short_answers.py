"""Verifiers of short answers: years, dates, fractions, JSON, names in other scripts, intervals."""

import difflib
import json
import re
import unicodedata
from fractions import Fraction
from math import gcd
from typing import Any

from rewardlab import Completion, Sample, reward
from rewardlab_answers import last_box

MAX_LENGTH = 500
MIN_SIMILARITY = 0.8
YEARS_OFF = 0.05
"""what ChartQA allows to the reader of an axis"""
SCHEMA: dict[str, type] = {"name": str, "city": str, "born": int}
_ACUTE = "\N{COMBINING ACUTE ACCENT}"
_FRACTION = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})")
_END = r"\s*(-?\d{1,6}(?:\.\d{1,6})?)\s*"
_INTERVAL = re.compile(rf"\({_END},{_END}\)")


def _box(completion: Completion) -> str | None:
    found = last_box(completion.text)
    return None if found is None else found.strip()


def _line(completion: Completion) -> str:
    """Return what the last line has behind its label, whether in bold or with a full stop; "" if it has no label."""
    line = completion.text.rstrip().rpartition("\n")[2]
    return line.removeprefix("Answer:").strip(" *`$.")[:MAX_LENGTH] if line.startswith("Answer:") else ""


def _year(completion: Completion) -> int | None:
    found = re.fullmatch(r"(\d{1,4})\.?", _box(completion) or "")
    return int(found[1]) if found else None


@reward(requires=["answer"])
def third_year_in_five_percent(sample: Sample, completion: Completion) -> float:
    """1 for a year within five percent of the right one, as ChartQA's relaxed accuracy has it of every number."""
    found, right = _year(completion), int(sample.fields["answer"])
    return float(found is not None and abs(found - right) <= YEARS_OFF * right)


@reward(requires=["answer"])
def third_year_to_the_year(sample: Sample, completion: Completion) -> float:
    """1 for the right year."""
    return float(_year(completion) == int(sample.fields["answer"]))


@reward(requires=["answer"])
def third_date_is_similar(sample: Sample, completion: Completion) -> float:
    """1 for a date of whose characters four in five match."""
    same = difflib.SequenceMatcher(None, sample.fields["answer"], _line(completion)).ratio()
    return float(same >= MIN_SIMILARITY)


@reward(requires=["answer"])
def third_date_is_the_same(sample: Sample, completion: Completion) -> float:
    """1 for the right date."""
    return float(_line(completion) == sample.fields["answer"])


def _fraction(completion: Completion) -> tuple[int, int] | None:
    found = _FRACTION.fullmatch(_box(completion) or "")
    return (int(found[1]), int(found[2])) if found and int(found[2]) else None


@reward(requires=["answer"])
def third_fraction_of_equal_value(sample: Sample, completion: Completion) -> float:
    """1 for a fraction with the right value."""
    found = _fraction(completion)
    return float(found is not None and Fraction(*found) == Fraction(sample.fields["answer"]))


@reward(requires=["answer"])
def third_fraction_in_lowest_terms(sample: Sample, completion: Completion) -> float:
    """1 for a fraction with the right value that cannot be reduced."""
    found = _fraction(completion)
    return float(found is not None and gcd(*found) == 1 and Fraction(*found) == Fraction(sample.fields["answer"]))


def _json(completion: Completion) -> Any:
    try:
        return json.loads(unicodedata.normalize("NFC", _line(completion)))
    except (ValueError, RecursionError):
        return None


@reward(requires=["expected"])
def third_json_by_schema(sample: Sample, completion: Completion) -> float:
    """1 for JSON with the keys and types that were asked for."""
    found = _json(completion)
    return float(isinstance(found, dict) and {key: type(value) for key, value in found.items()} == SCHEMA)


@reward(requires=["expected"])
def third_json_by_value(sample: Sample, completion: Completion) -> float:
    """1 for JSON with the values that the text has."""
    found = _json(completion)
    typed = isinstance(found, dict) and {key: type(value) for key, value in found.items()} == SCHEMA
    return float(typed and found == sample.fields["expected"])


def _ascii(text: str) -> str:
    """Return small letters of English and digits, as normalizers of English answers do."""
    return " ".join(re.sub(r"[^a-z0-9]", " ", text.lower()).split())


def _any_script(text: str) -> str:
    """Return small letters of any script, without marks of stress."""
    bare = unicodedata.normalize("NFD", text.casefold()).replace(_ACUTE, "")
    return unicodedata.normalize("NFC", bare).strip(" .")


@reward(requires=["answer"])
def third_name_in_ascii(sample: Sample, completion: Completion) -> float:
    """1 for a box that is the answer, but for what is no letter of English and no digit."""
    found = _box(completion)
    return float(found is not None and _ascii(found) == _ascii(sample.fields["answer"]))


@reward(requires=["answer"])
def third_name_in_any_script(sample: Sample, completion: Completion) -> float:
    """1 for a box that is the answer, but for capitals and marks of stress."""
    found = _box(completion)
    return float(found is not None and _any_script(found) == _any_script(sample.fields["answer"]))


def _ends(text: str) -> tuple[float, float] | None:
    found = _INTERVAL.fullmatch(text)
    return (float(found[1]), float(found[2])) if found else None


@reward(requires=["answer"])
def third_interval_at_points(sample: Sample, completion: Completion) -> float:
    """1 for an interval that has nine points of the right one."""
    found, right = _ends(_line(completion)), _ends(sample.fields["answer"])
    if found is None or right is None:
        return 0.0
    low, high = right
    return float(all(found[0] < low + (high - low) * tenth / 10 < found[1] for tenth in range(1, 10)))


@reward(requires=["answer"])
def third_interval_by_its_ends(sample: Sample, completion: Completion) -> float:
    """1 for an interval with the ends of the right one."""
    return float(_ends(_line(completion)) == _ends(sample.fields["answer"]))
