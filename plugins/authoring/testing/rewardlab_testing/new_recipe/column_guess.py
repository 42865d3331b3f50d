"""Guess which columns of rows are our fields, from names and values."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from rewardlab.data import to_messages
from rewardlab_answers import named_language
from rewardlab_training import FINAL, columns_named, field_named, looks_like_an_answer

FIELDS = ("prompt", "answer", "reference", "language", "response", "id")
"""the fields that columns are guessed for, the most important first"""
CHOSEN = ("prompt", "answer", "reference", "response")
"""fields of which somebody must choose between several columns that sound like them"""
MAX_ANSWER_LENGTH = 80
"""characters of a final answer; a longer one is a worked solution"""
_LANGUAGE = re.compile(r"([a-z]{2,3})([-_][A-Za-z]{2,8})*")
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

    Args:
        rows: as they stand in a file.
        choose: asked if several columns may be a field, so that nothing is guessed between them.
        named: field -> column, if that is known; "" for a field that no column is. Names decide first, values if no
            name is known. A field that no column fits is left out.
    """
    values = {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
    whole = {name: cells for name, cells in values.items() if all(value is not None for value in cells)}
    guesses = {field: ColumnGuess(column=column, why="as you said") for field, column in (named or {}).items()}
    for search, why in ((_by_name, "guessed by its name"), (_by_values, "guessed by its values")):
        for field in (field for field in FIELDS if field not in guesses):
            taken = {guess.column for guess in guesses.values()}
            cells = search(field, {name: cells for name, cells in whole.items() if name not in taken})
            if len(cells) > 1:
                guesses[field] = ColumnGuess(column=choose(field, cells), why="as you said")
            elif cells:
                guesses[field] = ColumnGuess(column=cells[0], why="by our own name" if cells == [field] else why)
    return {field: guesses[field] for field in FIELDS if field in guesses and guesses[field].column}


@cache
def _language_codes() -> frozenset[str]:
    """Return the ISO codes of languages: all of two letters, and of three letters those that data sets have."""
    return frozenset(Path(__file__).with_name("language_codes.txt").read_text(encoding="utf-8").split())


def _by_name(field: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the column of our own name, else those of all other names; of a field that nobody chooses, one."""
    fitting = [column for column, named in columns.items() if _FITS[field](named)]
    columns_of_name = columns_named(field, fitting)
    return columns_of_name if field in CHOSEN else columns_of_name[:1]


def _by_values(field: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the columns that may be the prompt, or the only one that looks like another field."""
    looks = _LOOKS.get(field)
    able = [column for column, cells in columns.items() if looks is not None and looks(cells)]
    if field == "prompt":
        return [column for column in able if field_named(column) in (None, "prompt")]
    return able if len(able) == 1 else []


def _is_prompt(values: Sequence[Any]) -> bool:
    try:
        return all(to_messages(value)[-1]["role"] != "assistant" for value in values)
    except ValueError:
        return False


def _is_answer(values: Sequence[Any]) -> bool:
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    if not flat or not all(isinstance(value, str | int | float) for value in flat):
        return False
    texts = [str(value) for value in flat]
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
    return varied and _is_prompt(values) and not (looks_like_an_answer(values) or all(map(_WORD.fullmatch, different)))


def _looks_like_a_language(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) and _names_a_language(value) for value in values)


def _names_a_language(value: str) -> bool:
    code = _LANGUAGE.fullmatch(value)
    return named_language(value) is not None or (code is not None and code[1] in _language_codes())


def _may_be_the_answer(values: Sequence[Any]) -> bool:
    """Return whether these look like answers, and do not number the rows: those that do go up by one each."""
    return looks_like_an_answer(values) and not _number_the_rows([str(value).strip() for value in values])


def _number_the_rows(values: Sequence[str]) -> bool:
    if len(values) < 2 or not values[0].isdecimal():
        return False
    first = int(values[0])
    return all(value.isdecimal() and int(value) == first + index for index, value in enumerate(values))


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
    "answer": _may_be_the_answer,
    "language": _looks_like_a_language,
}
"""stricter tests, for columns whose names say nothing"""
