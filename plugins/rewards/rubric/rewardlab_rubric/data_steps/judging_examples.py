"""Examples for the laws of the data steps: sums with responses, and a teacher that adds."""

import json
import re
from dataclasses import replace
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import DatasetExample

from rewardlab_rubric.examples import SCALE

NUMBER = re.compile(r"\d+")


class Adder:
    """A judge that adds the numbers of a question and scores the response by it: `right` for the sum, else `wrong`."""

    def __init__(self, right: Any = 5, wrong: Any = 1) -> None:
        self._right, self._wrong = json.dumps(right), json.dumps(wrong)

    async def ask(self, ask: Ask) -> Reply:
        shown = ask.parts or {"query": ask.messages[0]["content"], "response": ""}
        total = sum(map(int, NUMBER.findall(shown["query"])))
        answer = NUMBER.findall(shown.get("response", ""))[-1:]
        score = self._right if answer == [str(total)] else self._wrong
        text = f'{{"explanation": "The sum is {total}.", "score": {score}}}'
        return Reply(text=f"<think>That makes {total}.</think>{text}", finish_reason="stop")


class PairAdder:
    """A judge that adds the numbers of a question and takes the response that has the sum."""

    async def ask(self, ask: Ask) -> Reply:
        shown = ask.parts or {"query": ask.messages[0]["content"], "a": ""}
        total = sum(map(int, NUMBER.findall(shown["query"])))
        better = "Response 1" if shown["a"] == str(total) else "Response 2"
        text = f'{{"explanation": "The sum is {total}.", "score": "{better}"}}'
        return Reply(text=f"<think>That makes {total}.</think>{text}", finish_reason="stop")


class GermanSums:
    """A translator of Adder's replies."""

    async def ask(self, ask: Ask) -> Reply:
        (total,) = NUMBER.findall(ask.parts["text"])
        return Reply(text=f"Das ergibt zusammen {total}.", finish_reason="stop")


class Guesser:
    """A policy that is right at its first draw only."""

    async def ask(self, ask: Ask) -> Reply:
        total = sum(map(int, NUMBER.findall(ask.messages[0]["content"])))
        return Reply(text=str(total + ask.draw), finish_reason="stop")


def _sums(count: int) -> list[Sample]:
    rows = []
    for number in range(count):
        right = number % 2 == 0
        fields = {"response": str(7 + number + (not right)), "score": 5 if right else 1}
        prompt = ({"role": "user", "content": f"How much is 7 + {number}?"},)
        rows.append(Sample(id=f"sum-{number}", prompt=prompt, fields=fields))
    return rows


def _pairs() -> list[Sample]:
    """Return rows of which the better text is mostly the first one, as in data that were sorted by it."""
    rows = []
    for number, row in enumerate(_sums(8)):
        texts = {"response_1": str(7 + number), "response_2": str(8 + number)}
        if number == 3:
            texts = {"response_1": texts["response_2"], "response_2": texts["response_1"]}
        rows.append(replace(row, fields={**texts, "score": "Response 2" if number == 3 else "Response 1"}))
    return rows


def distilled() -> list[DatasetExample]:
    """Return examples of one draw and of two, in both forms; translated; and of pairs in hashed positions."""
    known: dict[str, Any] = {"source": _sums(6), "judges": lambda: {"teacher": Adder()}}
    options = {"teacher": "teacher", "rubric": SCALE}
    german = [replace(row, fields={**row.fields, "score": None, "language": "de"}) for row in _sums(6)]
    translated: dict[str, Any] = {
        "teacher": "teacher",
        "asks": "binary",
        "strategy": "translated",
        "translator": "translator",
    }
    translated["also"] = ["tgt-eng"]
    both = {"teacher": Adder("true", "false"), "translator": GermanSums()}
    pairs = {"teacher": "teacher", "asks": "pairwise", "positions": "hashed"}
    two = {**options, "draws": 2, "form": "qwen3", "leave_out": ["explanation"]}
    return [
        DatasetExample(title="one draw", options=options, **known),
        DatasetExample(title="two draws, layout mr3", options={**two, "layout": "mr3"}, **known),
        DatasetExample(title="translated", options=translated, source=german, judges=lambda: both),
        DatasetExample(
            title="pairs, hashed positions", options=pairs, source=_pairs(), judges=lambda: {"teacher": PairAdder()}
        ),
    ]


def preferences() -> list[DatasetExample]:
    """Return examples of rows with answers, of a policy that writes them, and of rows in several languages."""
    rows = [
        Sample(id=row.id, prompt=row.prompt, fields={"completions": ["7", str(7 + number)], "topic": number // 2})
        for number, row in enumerate(_sums(6))
    ]
    known: dict[str, Any] = {"source": rows[1:]}
    asked = {"judge": "main", "asks": "pointwise", "options": {"rubric": SCALE}}
    return [
        DatasetExample(title="answers that are there", options=asked, judges=lambda: {"main": Adder()}, **known),
        DatasetExample(
            title="answers of a policy",
            options={**asked, "policy": "policy"},
            judges=lambda: {"main": Adder(), "policy": Guesser()},
            **known,
        ),
        DatasetExample(
            title="one of parallel rows",
            options={**asked, "parallel": "topic", "most_parallel": 1},
            judges=lambda: {"main": Adder()},
            off=dict.fromkeys(("streaming", "going_on"), "which rows are drawn shows when all have been read"),
            **known,
        ),
    ]


def agreeing() -> list[DatasetExample]:
    """Return examples that go by the rows' scores, by a small model too, which scores no response here, and by weights.

    A row that is one of so many shows its place only when all have been read.
    """
    rows = [Sample(id=row.id, prompt=row.prompt, fields={**row.fields, "judged": "5"}) for row in _sums(6)]
    asked = {"judge": "small", "draws": 3, "scores": []}
    return [
        DatasetExample(title="scores", options={}, source=rows),
        DatasetExample(title="small model", options=asked, source=rows, judges=lambda: {"small": Adder()}),
        DatasetExample(
            title="so many rows",
            options={**asked, "keep": {0: 0.5, 3: 0.25}, "rows": 4},
            source=rows,
            judges=lambda: {"small": Adder()},
            off=dict.fromkeys(("streaming", "going_on"), "which rows are drawn shows when all have been read"),
        ),
    ]
