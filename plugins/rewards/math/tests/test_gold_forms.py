r"""Gold answers as data sets write them: each equals itself and other ways of writing it, and no mutation of it.

data/gold_forms.jsonl is written by hand in the style of MATH-500, Minerva, college sets and GSM8K.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_SIGN = re.compile(r"(?<=[\w)}\]])\s*([-+])\s*(?=[\w(\\{])")
_NUMBER = re.compile(r"(?<![\d.,_!])(?<!\}\^)(?<!\}\^\{-)\d+(?![\d.,%])")
_VARIABLE = re.compile(r"(?<![\\A-Za-z{_])[a-zA-Z](?![A-Za-z}])(?!\s*[\d_=(<>]|\s*\\(?:in|ne|ge|le)\b)")
_ENTRY = re.compile(r"(?<=[&}\\])\s*([^&\\{}]+|-?\\frac\{\d+\}\{\d+\})\s*(?=[&\\])")
_WORDS = re.compile(r"\\(?:text\w*|math\w+|mbox|begin|end|operatorname)\s*\{[^{}]*\}|\\[A-Za-z]+")


def wrong_answers(gold: str) -> Iterator[tuple[str, str]]:
    """Yield (what was done, a wrong answer) for a right one, as far as each mutation applies to it."""
    hidden = [match.span() for match in _WORDS.finditer(gold)]

    def is_hidden(place: int) -> bool:
        return any(start <= place < end for start, end in hidden)

    if "matrix" in gold or "array" in gold:
        yield from _matrices(gold)
    for sign in _SIGN.finditer(gold):
        if not is_hidden(sign.start(1)):
            other = "+" if sign[1] == "-" else "-"
            yield "sign", gold[: sign.start(1)] + other + gold[sign.end(1) :]
    for number in _NUMBER.finditer(gold):
        if not is_hidden(number.start()):
            yield "number", gold[: number.start()] + str(int(number[0]) + 1) + gold[number.end() :]
    for letter in _VARIABLE.finditer(gold):
        if not is_hidden(letter.start()):
            yield "variable", gold[: letter.start()] + gold[letter.end() :]
    if "pm" not in gold and not gold.startswith(("-", "#", r"\text", "x", "y")) and any(map(str.isdigit, gold)):
        yield "negated", f"-({gold})" if "," not in gold and "=" not in gold else f"-{gold}"
    last = [sign for sign in _SIGN.finditer(gold) if not is_hidden(sign.start()) and _outside(gold, sign.start())]
    if last:
        yield "term", gold[: last[-1].start()]


def _outside(text: str, place: int) -> bool:
    head = text[:place]
    return all(head.count(left) == head.count(right) for left, right in ("{}", "()", "[]"))


def _matrices(gold: str) -> Iterator[tuple[str, str]]:
    body = re.search(r"(\\begin\{\w+\}(?:\{\w+\})?)(.*?)(\\end\{\w+\})", gold, re.DOTALL)
    assert body is not None
    rows = [row.strip() for row in body[2].split(r"\\")]
    for space in ("", " "):
        for at in range(len(rows) - 1):
            if rows[at] != rows[at + 1]:
                swapped = [*rows[:at], rows[at + 1], rows[at], *rows[at + 2 :]]
                yield "rows", body[1] + (space + r"\\" + space).join(swapped) + body[3]
        for at, row in enumerate(rows):
            cells = row.split("&")
            if len(cells) > 1 and cells[0].strip() != cells[-1].strip():
                other = "&".join([cells[-1], *cells[1:-1], cells[0]])
                yield "cells", body[1] + (space + r"\\" + space).join([*rows[:at], other, *rows[at + 1 :]]) + body[3]
    yield "rows", body[1] + r" \\ ".join(rows[:-1]) + body[3]


CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "gold_forms.jsonl").read_text(encoding="utf-8").splitlines()
]
ROWS = [case["input"] for case in CASES]
PAIRS, WRONG = (
    [(c["input"]["gold"], answer) for c in CASES if c["expected"] == value for answer in c["input"]["answers"]]
    for value in (1, 0)
)
MUTATED = [
    (row["gold"], kind, wrong) for row in ROWS for kind, wrong in wrong_answers(row["gold"]) if wrong != row["gold"]
]
SAME = {("0,1,2", "-0,1,2"), (r"-273.15^\circ C", r"-273.15^\circ ")}
"""mutations that say the same"""
MATRICES = [one for one in MUTATED if one[1] in ("rows", "cells")]


def boxed(answer):
    return rf"\boxed{{{answer}}}"


@pytest.mark.slow
def test_every_gold_answer_equals_itself(score):
    said = {row["gold"]: score(boxed(row["gold"].rpartition("####")[2]), row["gold"]) for row in ROWS}
    assert {gold: found for gold, found in said.items() if found.value != 1.0} == {}
    assert len(said) > 200


@pytest.mark.slow
def test_few_of_them_are_compared_by_writing_alone(score):
    unread = [row["gold"] for row in ROWS if score(boxed("0"), row["gold"]).info.get("gold_by_writing")]
    assert len(unread) <= 2, unread


@pytest.mark.parametrize("part", [pytest.param(0, id="some"), *(pytest.param(n, marks=pytest.mark.slow) for n in (1,))])
def test_another_writing_is_as_right(score, part):
    pairs = PAIRS[part :: 4 if part else 24]
    wrong = [(gold, answer) for gold, answer in pairs if score(boxed(answer), gold).value != 1.0]
    assert wrong == []


def test_another_answer_is_wrong(score):
    assert WRONG
    assert [(gold, answer) for gold, answer in WRONG if score(boxed(answer), gold).value != 0.0] == []


@pytest.mark.parametrize("part", [pytest.param(0, id="some"), *(pytest.param(n, marks=pytest.mark.slow) for n in (1,))])
def test_a_mutation_is_wrong(score, part):
    right = [one for one in MUTATED[part :: 8 if part else 48] if score(boxed(one[2]), one[0]).value != 0.0]
    assert [(kind, gold, wrong) for gold, kind, wrong in right if (gold, wrong) not in SAME] == []


@pytest.mark.slow
def test_another_matrix_is_wrong(score):
    assert [one for one in MATRICES if score(boxed(one[2]), one[0]).value != 0.0] == []
    assert len(MATRICES) > 30
