"""The rows of a benchmark as cases: the question, its choices and the right answer."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab.errors import nearest

from rewardlab_data.benchmark_files import LABELS, ColumnTemplate, label_of
from rewardlab_data.benchmark_format import FREE, BenchmarkFormat

Row = Mapping[str, Any]
NO_CHOICE = ("", "N/A", "n/a")
_LABEL = re.compile(r"[^:：\n]{1,40}[:：]\s*")
_NUMBER = re.compile(r"[-+−]?\d[\d.,\s'\u00a0\u202f]*(?:/\d+)?%?")


class NoRightChoice(ValueError):
    """A row whose right answer is none of its choices."""


@dataclass(frozen=True, kw_only=True)
class BenchmarkQuestion:
    """A question of a benchmark in one language.

    Args:
        choices: label -> text, empty if an answer is free.
        answer: the label of the right choice, or the answer itself.
        worked: a solution that ends in the answer, if the row has one.
        problem: its name, alike in every language of a parallel benchmark.
        group: what its examples share with it.
    """

    question: str
    answer: str
    language: str
    problem: str
    choices: Mapping[str, str] = field(default_factory=dict)
    worked: str | None = None
    kept: Mapping[str, Any] = field(default_factory=dict)
    group: Any = None


def case_of(benchmark: BenchmarkFormat, row: Row, language: str, number: int) -> BenchmarkQuestion:
    """Return a row's case.

    Args:
        number: of the row, from 0; it names the case if no column does.

    Raises ValueError that says what the row lacks.
    """
    choices = _choices(benchmark, row)
    name = "/".join(str(_cell(row, name)) for name in benchmark.id) or str(number)
    worked = row.get(benchmark.worked) if benchmark.worked else None
    return BenchmarkQuestion(
        question=_question(benchmark, row, language),
        answer=_answer(benchmark, row, choices),
        language=language,
        problem=name if benchmark.parallel else f"{language}/{name}",
        choices=choices,
        worked=worked.strip() if isinstance(worked, str) and worked.strip() else None,
        kept={name: row[name] for name in benchmark.keep if name in row},
        group=None if benchmark.shots_by is None else _cell(row, benchmark.shots_by),
    )


def example_of(benchmark: BenchmarkFormat, case: BenchmarkQuestion) -> BenchmarkQuestion:
    """Return a case as an example shows it, without the labels that its published texts begin with."""
    question = case.question if "question" not in benchmark.labelled else _without_label(case.question)
    worked = case.worked
    if worked is not None and "worked" in benchmark.labelled:
        worked = _without_label(worked)
    return replace(case, question=question, worked=worked)


def _without_label(text: str) -> str:
    match = _LABEL.match(text)
    return text if match is None else text[match.end() :]


def _question(benchmark: BenchmarkFormat, row: Row, language: str) -> str:
    template = ColumnTemplate(benchmark.question)
    if benchmark.language_is == "column":
        texts = {"question": _text(row, benchmark.languages[language])}
    else:
        texts = {name: _text(row, name) for name in template.get_identifiers()}
    return template.substitute(texts).strip()


def _choices(benchmark: BenchmarkFormat, row: Row) -> dict[str, str]:
    if benchmark.choices is None:
        return {}
    if isinstance(benchmark.choices, str):
        texts = _listed(_cell(row, benchmark.choices), benchmark.choices)
    else:
        texts = [row.get(name) for name in benchmark.choices]
        if all(text is None for text in texts):
            _cell(row, benchmark.choices[0])
    shown = {
        label: str(text).strip()
        for label, text in zip(LABELS, texts, strict=False)
        if text is not None and str(text).strip() not in NO_CHOICE
    }
    if len(shown) < 2:
        raise ValueError(f"{len(shown)} choices; at least two are needed")
    return shown


def _listed(value: Any, name: str) -> Sequence[Any]:
    """Return a list that is one, or that is written as a text or as lines with labels, as some tables have it."""
    if isinstance(value, str):
        if lines := _labelled_lines(value):
            return lines
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise ValueError(f"column {name!r} should list choices, not {value[:80]!r}") from None
    if not isinstance(value, list | tuple):
        raise ValueError(f"column {name!r} should list choices, not {value!r}")
    return value


def _labelled_lines(text: str) -> list[str]:
    """Return the choices of a text with a line for each, with its label: `A. text`; [] for another text."""
    labelled_lines: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        label, choice = line[:1], line[2:].strip()
        if len(labelled_lines) < len(LABELS) and label == LABELS[len(labelled_lines)] and line[1:2] in (".", ")"):
            labelled_lines.append(choice)
        elif labelled_lines:
            labelled_lines[-1] += f" {line}"
        else:
            return []
    return labelled_lines


def _answer(benchmark: BenchmarkFormat, row: Row, choices: Mapping[str, str]) -> str:
    value = _cell(row, benchmark.answer)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"the right answer, column {benchmark.answer!r}, is neither text nor number: {value!r}")
    if benchmark.answer_is in FREE:
        text = _number(value) if isinstance(value, float) else str(value).strip()
        if benchmark.answer_is == "number" and not _NUMBER.fullmatch(text):
            raise ValueError(f"the right answer, column {benchmark.answer!r}, is not a number: {text!r}")
        return text
    label = _label(benchmark, value, choices)
    if label not in choices:
        labels = ", ".join(choices)
        raise NoRightChoice(f"the right answer, column {benchmark.answer!r}, is {value!r}, not a choice of {labels}")
    return label


def _label(benchmark: BenchmarkFormat, value: Any, choices: Mapping[str, str]) -> str:
    text = _number(value) if isinstance(value, float) else str(value).strip()
    if benchmark.answer_is == "label":
        return text.upper()
    if benchmark.answer_is == "text":
        return next((label for label, choice in choices.items() if choice == text), "")
    return label_of(text, first=int(benchmark.answer_is == "index_from_1"))


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)


def _text(row: Row, name: str) -> str:
    value = _cell(row, name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"column {name!r} should hold text, not {value!r}")
    return value.strip()


def _cell(row: Row, name: str) -> Any:
    if name not in row:
        raise ValueError(f"no column {name!r}{nearest(name, row)}")
    value = row[name]
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError(f"column {name!r} is empty")
    return value
