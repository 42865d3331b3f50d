"""The cases of a benchmark's row: what a judge is shown of it, and what is right about it."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from rewardlab_data.benchmark_files import LABELS, label_of
from rewardlab_data.corrupted_answers import NumberLabels, corrupted

from rewardlab_measure.judge_benchmarks.benchmark_format import RUBRIC, JudgeBenchmark, RowForm, shape_of
from rewardlab_measure.judge_benchmarks.row_columns import (
    Row,
    cell,
    filled,
    filled_tree,
    has_column,
    listed,
    number_of,
    text_of,
    texts_of,
)
from rewardlab_measure.judge_benchmarks.row_forms import form_of

DIFFICULTY = ("easy", "normal", "hard")
ANY_OTHER = "*"
"""in `names`, every value that is not among them"""


@dataclass(frozen=True, kw_only=True)
class BenchmarkCase:
    """A case on which a judge is measured: an answer or several to one prompt, and what is right about them.

    Args:
        answers: (G,).
        gold: (G,), higher is better, or of one answer its score, 1 for a true one and 0 for a false one.
        first: of two answers, the one that stands first officially.
        fields: what rewards see besides the prompt.
        slices: name -> value, `language` among them.
        problem: the row's name, which its cases share, and its translations.
    """

    id: str
    prompt: Any
    answers: Sequence[str]
    gold: Sequence[float]
    fields: Mapping[str, Any] = field(default_factory=dict)
    slices: Mapping[str, str] = field(default_factory=dict)
    first: int = 0
    problem: str = ""

    def as_row(self) -> dict[str, Any]:
        """Return the case as a row with gold, as `rewardlab judge` reads it."""
        row: dict[str, Any] = {**self.fields, "id": self.id, "prompt": self.prompt}
        if len(self.answers) == 1:
            return {**row, "completion": self.answers[0], "score": self.gold[0]}
        return {**row, "completions": list(self.answers), "scores": list(self.gold)}


def cases_of(
    benchmark: JudgeBenchmark, row: Row, number: int, pairs_before: int, labels: NumberLabels | None = None
) -> list[BenchmarkCase]:
    """Return the cases of a row.

    A ValueError says what the row lacks.

    Args:
        number: of the row, from 0.
        pairs_before: how many cases the rows before it made.
        labels: the numbers among the right answers of its task.
    """
    form = form_of(benchmark, row)
    shown = _shown(benchmark, form, row, number)
    if form.wrong_is is not None:
        right = text_of(row, str(form.right))
        try:
            wrong = corrupted(right, str(shown.prompt), shown.id, labels)
        except ValueError as problem:
            raise ValueError(f"{problem}; give one in a column") from None
        return list(_two(shown, right, wrong))
    made = _MAKERS[shape_of(benchmark.measure, form) or ()](benchmark, form, row, shown)
    cases = list(made)
    if form.chosen is not None and form.first == "alternating":
        cases = [replace(case, first=(pairs_before + index) % 2) for index, case in enumerate(cases)]
    return cases


def _shown(benchmark: JudgeBenchmark, form: RowForm, row: Row, number: int) -> BenchmarkCase:
    """Return what all cases of a row share: the prompt, the fields, the slices."""
    language = _named(benchmark, "language", filled(form.language or benchmark.language, row))
    declared = benchmark.slices if form.slices is None else form.slices
    slices = {name: _named(benchmark, name, filled(template, row)) for name, template in declared.items()}
    kept = {name: row[name] for name in benchmark.keep if name in row}
    name = "/".join(text_of(row, column) for column in benchmark.id if has_column(row, column))
    if not benchmark.id or not has_column(row, benchmark.id[-1]):
        name = f"{name}/{number}".lstrip("/")  # no column of this form distinguishes rows
    return BenchmarkCase(
        id=f"{language}/{name}",
        prompt=_prompt(form, row),
        answers=(),
        gold=(),
        fields={
            **kept,
            **_own_question(benchmark),
            **filled_tree(benchmark.fields, row),
            **slices,
            "language": language,
        },
        slices={**slices, "language": language},
        problem=name,
    )


def _own_question(benchmark: JudgeBenchmark) -> dict[str, Any]:
    return {RUBRIC: [wording.model_dump() for wording in benchmark.wordings]} if benchmark.wordings else {}


def _named(benchmark: JudgeBenchmark, name: str, value: str) -> str:
    names = benchmark.names.get(name, {})
    return names.get(value) or names.get(ANY_OTHER) or value


def _prompt(form: RowForm, row: Row) -> Any:
    if form.conversation is not None:
        return cell(row, form.conversation)
    assert form.prompt is not None
    options = {}
    if form.choices is not None:
        options["options"] = "\n".join(_written(form.choice, _choices(form, row)).values())
    return filled(form.prompt, row, options).strip()


# --- pairs


def _pairs(_benchmark: JudgeBenchmark, form: RowForm, row: Row, shown: BenchmarkCase) -> Iterator[BenchmarkCase]:
    """Yield the chosen answer against the rejected one, or of lists each of its styles against each."""
    assert form.chosen is not None
    assert form.rejected is not None
    chosen, rejected = texts_of(row, form.chosen), texts_of(row, form.rejected)
    if len(chosen) != len(rejected):
        raise ValueError(f"{len(chosen)} texts in column {form.chosen!r} and {len(rejected)} in {form.rejected!r}")
    for i, j in product(range(len(chosen)), repeat=2):
        if chosen[i] == rejected[j]:
            raise ValueError(f"columns {form.chosen!r} and {form.rejected!r} hold the same text")
        case = replace(shown, answers=(chosen[i], rejected[j]), gold=(1.0, 0.0))
        if len(chosen) > 1:
            # a plain right answer against an ornate wrong one is the hard pair
            how = DIFFICULTY[1 + (i < j) - (i > j)]
            case = replace(case, id=f"{shown.id}-{i}-{j}", slices={**shown.slices, "difficulty": how})
        yield case


def _named_pair(_benchmark: JudgeBenchmark, form: RowForm, row: Row, shown: BenchmarkCase) -> Iterator[BenchmarkCase]:
    assert form.answers is not None
    assert form.better is not None
    text = text_of(row, form.better)
    if text not in form.better_is:
        known = ", ".join(map(repr, form.better_is))
        raise ValueError(f"column {form.better!r} is {text[:80]!r}, not one of {known}")
    answers = tuple(text_of(row, name) for name in form.answers)
    if answers[0] == answers[1]:
        raise ValueError(f"columns {form.answers[0]!r} and {form.answers[1]!r} hold the same text")
    yield replace(shown, answers=answers, gold=(1.0, 0.0) if form.better_is[text] == 1 else (0.0, 1.0))


def _graded_pair(benchmark: JudgeBenchmark, form: RowForm, row: Row, shown: BenchmarkCase) -> Iterator[BenchmarkCase]:
    assert form.answers is not None
    assert form.preference is not None
    grade = _on_scale(benchmark, number_of(row, form.preference), form.preference)
    yield replace(shown, answers=tuple(text_of(row, name) for name in form.answers), gold=(0.0, grade))


def _on_scale(benchmark: JudgeBenchmark, value: float, name: str) -> float:
    lowest, highest = benchmark.scale
    if not lowest <= value <= highest:
        raise ValueError(f"column {name!r} is {value:g}, and not from {lowest:g} to {highest:g}")
    return value


# --- single answers


def _judged(benchmark: JudgeBenchmark, form: RowForm, row: Row, shown: BenchmarkCase) -> Iterator[BenchmarkCase]:
    assert form.response is not None
    assert form.gold is not None
    if benchmark.measure == "score":
        gold = _on_scale(benchmark, number_of(row, form.gold), form.gold)
    elif form.true_above is not None:
        gold = float(number_of(row, form.gold) > form.true_above)
    else:
        gold = _truth(form, text_of(row, form.gold))
    yield replace(shown, answers=(filled(form.response, row),), gold=(gold,))


def _truth(form: RowForm, text: str) -> float:
    word = text.strip().lower()
    if word not in (*form.true, *form.false):
        known = ", ".join(map(repr, (*form.true, *form.false)))
        raise ValueError(f"column {form.gold!r} is {text[:80]!r}, not one of {known}")
    return float(word in form.true)


def _right_and_wrong(
    _benchmark: JudgeBenchmark, form: RowForm, row: Row, shown: BenchmarkCase
) -> Iterator[BenchmarkCase]:
    assert form.right is not None
    assert form.wrong is not None
    right, wrong = text_of(row, form.right), text_of(row, form.wrong)
    if right.strip() == wrong.strip():
        raise ValueError(f"the wrong answer is the right one, {right[:80]!r}")
    yield from _two(shown, right, wrong)


def _two(shown: BenchmarkCase, right: str, wrong: str) -> Iterator[BenchmarkCase]:
    yield replace(shown, id=f"{shown.id}-true", answers=(right,), gold=(1.0,))
    yield replace(shown, id=f"{shown.id}-false", answers=(wrong,), gold=(0.0,))


# --- choices


def _choices(form: RowForm, row: Row) -> dict[str, str]:
    """Return the texts of the choices by their labels."""
    assert form.choices is not None
    texts = listed(row, form.choices)
    if len(texts) < 2:
        raise ValueError(f"{len(texts)} choices; at least two are needed")
    # choices that one column has as lines begin with their labels
    return {
        label: re.sub(rf"\A\(?{label}[.):]\s*", "", text.strip()) for label, text in zip(LABELS, texts, strict=False)
    }


def _written(template: str, choices: Mapping[str, str]) -> dict[str, str]:
    return {label: filled(template, {}, {"label": label, "text": text}) for label, text in choices.items()}


def _right_label(form: RowForm, row: Row, choices: Mapping[str, str]) -> str:
    assert form.answer is not None
    answer = text_of(row, form.answer).strip()
    label = answer.strip("().").upper()
    if form.answer_is != "label":
        label = label_of(answer, first=int(form.answer_is == "index_from_1"))
    if label not in choices:
        raise ValueError(f"column {form.answer!r} is {answer[:80]!r}, and no choice of {', '.join(choices)}")
    return label


def _of_choices(benchmark: JudgeBenchmark, form: RowForm, row: Row, shown: BenchmarkCase) -> Iterator[BenchmarkCase]:
    """Yield one case with all choices or, of `binary`, the right one and a wrong one that the row's id draws."""
    choices = _written(form.choice_as_answer or form.choice, _choices(form, row))
    label = _right_label(form, row, choices)
    if benchmark.measure == "choices":
        gold = tuple(float(other == label) for other in choices)
        yield replace(shown, answers=tuple(choices.values()), gold=gold)
        return
    others = [text for other, text in choices.items() if other != label]
    draw = int.from_bytes(hashlib.sha256(shown.id.encode()).digest()[:8], "big")
    yield from _two(shown, choices[label], others[draw % len(others)])


_MAKERS: dict[tuple[str, ...], Any] = {
    ("chosen", "rejected"): _pairs,
    ("answers", "better"): _named_pair,
    ("answers", "preference"): _graded_pair,
    ("response", "gold"): _judged,
    ("right", "wrong"): _right_and_wrong,
    ("choices", "answer"): _of_choices,
}
