"""What people call the columns of their rows, and which columns are our fields, as far as rows can tell."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

from rewardlab.data.rows import to_messages
from rewardlab.types import Sample

OTHER_NAMES = {
    "prompt": "question problem instruction query input messages conversation text user user_prompt q",
    "answer": "final_answer ground_truth gold target expected label correct_answer gt a",
    "reference": "solution rationale explanation reasoning cot gold_solution reference_solution answer",
    "language": "lang language_code lang_code locale iso iso_code",
    "response": "completion output chosen generation assistant",
    "id": "uid uuid row_id example_id question_id problem_id index idx",
}
"""our field -> what others call it, the likeliest first"""
LONGEST_ANSWER = 80
"""characters of a final answer; a longer one is a worked solution"""
FINAL = "####"
"""begins the final answer at the end of a worked solution, as in GSM8K"""
LONGEST_NUMBER = 20
"""characters that a number takes at most, as people write it in an answer"""
_LANGUAGE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{2,8})*")
_NUMBER = re.compile(r"[-+]?\$?[\d.,/ ]*\d\s*%?")


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A guess which column is a field: `why` tells what it rests on, for people."""

    column: str
    why: str


def guess_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Guess]:
    """Return our fields -> the columns that are probably theirs, of those that all rows have; each column once.

    rows: as they stand in a file. Names decide first, values where no name is known. A field that no column fits is
    left out.
    """
    values = {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
    whole = {name: found for name, found in values.items() if all(value is not None for value in found)}
    guesses: dict[str, Guess] = {}
    for guess in (_by_name, _by_values):
        for field in OTHER_NAMES:
            free = {name: found for name, found in whole.items() if name not in {g.column for g in guesses.values()}}
            if field not in guesses and (found := guess(field, free)) is not None:
                guesses[field] = found
    return guesses


def field_named(column: str) -> str | None:
    """Return the field that a column of this name usually is; None for a name that says nothing."""
    folded = column.strip().lower().replace("-", "_")
    return next((field for field, names in OTHER_NAMES.items() if folded in (field, *names.split())), None)


def swapped_fields(samples: Sequence[Sample], fields: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield (a field, another, why) for fields of samples that seem to be each other.

    fields: our field -> their column, as a recipe says. Columns' names tell, or values: prompts that are bare numbers
    beside answers in words.
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
    return texts and median(map(len, values)) > LONGEST_NUMBER


def _by_name(field: str, columns: Mapping[str, Sequence[Any]]) -> Guess | None:
    for name in (field, *OTHER_NAMES[field].split()):
        for column, found in columns.items():
            if column.strip().lower().replace("-", "_") == name and _FITS[field](found):
                return Guess(column=column, why="by our own name" if column == field else "guessed by its name")
    return None


def _by_values(field: str, columns: Mapping[str, Sequence[Any]]) -> Guess | None:
    looks = _LOOKS.get(field)
    able = [column for column, found in columns.items() if looks is not None and looks(found)]
    if field == "prompt":  # of several texts, the longest
        able.sort(key=lambda column: -median(len(str(value)) for value in columns[column]))
    elif len(able) > 1:
        return None
    return Guess(column=able[0], why="guessed by its values") if able else None


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
    return all(FINAL in text for text in texts) or median(map(len, texts)) <= LONGEST_ANSWER


def _is_text(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) and value.strip() for value in values)


def _is_language(values: Sequence[Any]) -> bool:
    return _is_text(values) and all(len(value) <= 40 for value in values)


def _is_id(values: Sequence[Any]) -> bool:
    plain = all(isinstance(value, str | int) and not isinstance(value, bool) and value != "" for value in values)
    return plain and len({str(value) for value in values}) == len(values)


def _looks_like_a_prompt(values: Sequence[Any]) -> bool:
    return _is_prompt(values) and median(len(str(value)) for value in values) > 20


def _looks_like_an_answer(values: Sequence[Any]) -> bool:
    return all(
        isinstance(value, int | float | str)
        and not isinstance(value, bool)
        and (FINAL in str(value) or _NUMBER.fullmatch(str(value).strip()))
        for value in values
    )


def _looks_like_a_language(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) and _LANGUAGE.fullmatch(value) for value in values)


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
