"""Guess which columns of rows are our fields, from names and values."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from rewardlab.data.rows import to_messages
from rewardlab.types import Sample

FIELDS = ("prompt", "answer", "reference", "language", "response", "id")
"""the fields that columns are guessed for, the most important first"""
CHOSEN = ("prompt", "answer", "reference", "response")
"""fields of which somebody must choose between several columns that sound like them"""
MAX_ANSWER_LENGTH = 80
"""characters of a final answer; a longer one is a worked solution"""
FINAL = "####"
"""begins the final answer at the end of a worked solution, as in GSM8K"""
MAX_NUMBER_LENGTH = 20
"""characters that a number takes at most, as people write it in an answer"""
_LANGUAGE = re.compile(r"([a-z]{2,3})([-_][A-Za-z]{2,8})*")
_NUMBER = re.compile(r"[-+]?\$?[\d.,/ ]*\d\s*%?")
_WORD = re.compile(r"\w+://\S*|[\w.:/-]*", re.ASCII)
"""an address, or an identifier: no question"""
Choose = Callable[[str, Sequence[str]], str]
"""A function of a field and several columns: the column that is the field, or "" if there is none."""


@dataclass(frozen=True, kw_only=True)
class ColumnGuess:
    """A guess which column is a field. `why` explains it to the user."""

    column: str
    why: str


def guess_columns(
    rows: Sequence[Mapping[str, Any]], choose: Choose, named: Mapping[str, str] | None = None
) -> dict[str, ColumnGuess]:
    """Return our fields -> the columns that are probably theirs, of those that all rows have; each column once.

    rows: as they stand in a file. choose: asked if several columns may be a field, so that nothing is guessed
    between them. named: field -> column, if that is known; "" for a field that no column is. Names decide first,
    values if no name is known. A field that no column fits is left out.
    """
    values = {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
    whole = {name: found for name, found in values.items() if all(value is not None for value in found)}
    guesses = {field: ColumnGuess(column=column, why="as you said") for field, column in (named or {}).items()}
    for search, why in ((_by_name, "guessed by its name"), (_by_values, "guessed by its values")):
        for field in (field for field in FIELDS if field not in guesses):
            taken = {guess.column for guess in guesses.values()}
            found = search(field, {name: found for name, found in whole.items() if name not in taken})
            if len(found) > 1:
                guesses[field] = ColumnGuess(column=choose(field, found), why="as you said")
            elif found:
                guesses[field] = ColumnGuess(column=found[0], why="by our own name" if found == [field] else why)
    return {field: guesses[field] for field in FIELDS if field in guesses and guesses[field].column}


def field_named(column: str) -> str | None:
    """Return the field that a column of this name usually is; None for a name that says nothing."""
    return next((field for field, names in _other_names().items() if _folded(column) in (field, *names)), None)


@cache
def _other_names() -> dict[str, tuple[str, ...]]:
    """Return our field -> what others call it, in ten languages, the likeliest first."""
    told = json.loads(Path(__file__).with_name("column_names.json").read_text(encoding="utf-8"))
    return {field: tuple(_folded(name) for names in told[field].values() for name in names.split()) for field in FIELDS}


@cache
def _language_codes() -> frozenset[str]:
    """Return the ISO codes of languages: all of two letters, and of three letters those that data sets have."""
    return frozenset(Path(__file__).with_name("language_codes.txt").read_text(encoding="utf-8").split())


def _folded(name: str) -> str:
    """Return a column's name without case and accents, its words joined by low lines."""
    letters = unicodedata.normalize("NFKD", name.strip().casefold())
    return re.sub(r"[\s-]+", "_", "".join(letter for letter in letters if not unicodedata.combining(letter)))


def swapped_fields(samples: Sequence[Sample], fields: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield (a field, another, why) for fields of samples that seem to be each other.

    fields: our field -> their column, as a recipe says. Judged by the columns' names or values: prompts that are bare
    numbers beside answers in words.
    """
    meant = {ours: field_named(theirs) for ours, theirs in fields.items()}
    by_name = [(a, b) for a, b in combinations(fields, 2) if a != b and (meant[a], meant[b]) == (b, a)]
    for one, other in by_name:
        yield one, other, f"the column {fields[one]!r} sounds like {other}, and {fields[other]!r} like {one}"
    short_beside = {"prompt": "answer", "reference": "answer"}
    for one, other in short_beside.items():
        pairs = [(_of(sample, one), _of(sample, other)) for sample in samples]
        ones, others = [a for a, _ in pairs], [b for _, b in pairs]
        whole = pairs and None not in ones and None not in others
        told = {(one, other), (other, one)} & {*by_name}
        if whole and not told and _looks_like_an_answer(ones) and _is_in_words(others):
            yield one, other, f"each {one} is a bare number, such as {ones[0]!r}, and each {other} a text in words"


def _of(sample: Sample, field: str) -> Any:
    """Return a field's value; of the prompt, its one message."""
    if field != "prompt":
        return sample.fields.get(field)
    return sample.prompt[0]["content"] if len(sample.prompt) == 1 else None


def _is_in_words(values: Sequence[Any]) -> bool:
    texts = all(isinstance(value, str) and not _looks_like_an_answer([value]) for value in values)
    return texts and median(map(len, values)) > MAX_NUMBER_LENGTH


def _by_name(field: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the column of our own name, else those of all other names; of a field that nobody chooses, one."""
    fitting = [column for column, found in columns.items() if _FITS[field](found)]
    if own := [column for column in fitting if _folded(column) == field]:
        return own[:1]
    found = [column for name in _other_names()[field] for column in fitting if _folded(column) == name]
    return list(dict.fromkeys(found)) if field in CHOSEN else found[:1]


def _by_values(field: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the columns that may be the prompt, or the only one that looks like another field."""
    looks = _LOOKS.get(field)
    able = [column for column, found in columns.items() if looks is not None and looks(found)]
    if field == "prompt":
        return [column for column in able if field_named(column) in (None, "prompt")]
    return able if len(able) == 1 else []


def _is_prompt(values: Sequence[Any]) -> bool:
    try:
        return all(to_messages(value)[-1]["role"] != "assistant" for value in values)
    except ValueError:
        return False


def _is_answer(values: Sequence[Any]) -> bool:
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    if not flat or not all(isinstance(one, str | int | float) for one in flat):
        return False
    texts = [str(one) for one in flat]
    return all(FINAL in text for text in texts) or median(map(len, texts)) <= MAX_ANSWER_LENGTH


def _is_text(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) and value.strip() for value in values)


def _is_language(values: Sequence[Any]) -> bool:
    return _is_text(values) and all(len(value) <= 40 for value in values)


def _is_id(values: Sequence[Any]) -> bool:
    plain = all(isinstance(value, str | int) and not isinstance(value, bool) and value != "" for value in values)
    return plain and len({str(value) for value in values}) == len(values)


def _looks_like_a_prompt(values: Sequence[Any]) -> bool:
    """Return whether these may be questions: messages, or texts that are neither numbers, names nor categories."""
    different = {str(value) for value in values}
    varied = len(different) > len(values) / 10
    return varied and _is_prompt(values) and not (_looks_like_an_answer(values) or all(map(_WORD.fullmatch, different)))


def _looks_like_an_answer(values: Sequence[Any]) -> bool:
    return all(
        isinstance(value, int | float | str)
        and not isinstance(value, bool)
        and (FINAL in str(value) or _NUMBER.fullmatch(str(value).strip()))
        for value in values
    )


def _looks_like_a_language(values: Sequence[Any]) -> bool:
    found = [_LANGUAGE.fullmatch(value) if isinstance(value, str) else None for value in values]
    return all(code is not None and code[1] in _language_codes() for code in found)


_Test = Callable[[Sequence[Any]], bool]
_FITS: dict[str, _Test] = {
    "prompt": _is_prompt,
    "answer": _is_answer,
    "reference": _is_text,
    "language": _is_language,
    "response": _is_text,
    "id": _is_id,
}
_LOOKS: dict[str, _Test] = {
    "prompt": _looks_like_a_prompt,
    "answer": _looks_like_an_answer,
    "language": _looks_like_a_language,
}
"""stricter tests, for columns whose names say nothing"""
