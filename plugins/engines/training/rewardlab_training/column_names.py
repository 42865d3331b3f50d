"""Columns of rows that are our fields under other names, and fields that seem to be each other."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from rewardlab import Sample

FIELDS = ("prompt", "answer", "reference", "language", "response", "id")
"""the fields that have other names"""
FINAL = "####"
"""begins the final answer at the end of a worked solution, as in GSM8K"""
MAX_NUMBER_LENGTH = 20
"""characters that a number takes at most, as people write it in an answer"""
_NUMBER = re.compile(r"[-+]?\$?[\d.,/ ]*\d\s*%?")


def field_named(column: str) -> str | None:
    """Return the field that a column of this name usually is; None for a name that says nothing."""
    return next((field for field, names in _other_names().items() if _folded(column) in (field, *names)), None)


def columns_named(field: str, columns: Sequence[str]) -> list[str]:
    """Return the one of our own name, else those that others call so, the likeliest name first."""
    if own := [column for column in columns if _folded(column) == field]:
        return own[:1]
    named = [column for name in _other_names()[field] for column in columns if _folded(column) == name]
    return list(dict.fromkeys(named))


@cache
def _other_names() -> dict[str, tuple[str, ...]]:
    """Return our field -> what others call it, in eleven languages, the likeliest first."""
    names_by_language = json.loads(Path(__file__).with_name("column_names.json").read_text(encoding="utf-8"))
    return {
        field: tuple(_folded(name) for names in names_by_language[field].values() for name in names.split())
        for field in FIELDS
    }


def _folded(name: str) -> str:
    """Return a column's name without case and accents, its words joined by low lines."""
    letters = unicodedata.normalize("NFKD", name.strip().casefold())
    return re.sub(r"[\s-]+", "_", "".join(letter for letter in letters if not unicodedata.combining(letter)))


def swapped_fields(samples: Sequence[Sample], fields: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield (a field, another, why) for fields of samples that seem to be each other.

    Args:
        fields: our field -> their column, as a recipe says. Judged by the columns' names or values: prompts that
            are bare numbers beside answers in words.
    """
    meant = {field: field_named(column) for field, column in fields.items()}
    by_name = [(a, b) for a, b in combinations(fields, 2) if a != b and (meant[a], meant[b]) == (b, a)]
    for field, other in by_name:
        yield field, other, f"the column {fields[field]!r} sounds like {other}, and {fields[other]!r} like {field}"
    short_beside = {"prompt": "answer", "reference": "answer"}
    for field, other in short_beside.items():
        pairs = [(_of(sample, field), _of(sample, other)) for sample in samples]
        values, others = [a for a, _ in pairs], [b for _, b in pairs]
        whole = pairs and None not in values and None not in others
        reported = {(field, other), (other, field)} & {*by_name}
        if whole and not reported and looks_like_an_answer(values) and _is_in_words(others):
            yield (
                field,
                other,
                f"each {field} is a bare number, such as {values[0]!r}, and each {other} a text in words",
            )


def _of(sample: Sample, field: str) -> Any:
    """Return a field's value; of the prompt, its one message."""
    if field != "prompt":
        return sample.fields.get(field)
    return sample.prompt[0]["content"] if len(sample.prompt) == 1 else None


def _is_in_words(values: Sequence[Any]) -> bool:
    texts = all(isinstance(value, str) and not looks_like_an_answer([value]) for value in values)
    return texts and median(map(len, values)) > MAX_NUMBER_LENGTH


def looks_like_an_answer(values: Sequence[Any]) -> bool:
    """Return whether these may be final answers: numbers, or texts that are one, or end with one behind FINAL."""
    return all(
        isinstance(value, int | float | str)
        and not isinstance(value, bool)
        and (FINAL in str(value) or _NUMBER.fullmatch(str(value).strip()))
        for value in values
    )
