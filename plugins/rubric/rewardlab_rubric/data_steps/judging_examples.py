"""Examples for the laws of the data steps: sums with responses, and a teacher that adds."""

import re
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import DatasetExample

from rewardlab_rubric.examples import SCALE

NUMBER = re.compile(r"\d+")


class Adder:
    """A judge that adds the numbers of a question and scores the response by it: 5 for the sum, else 1."""

    async def ask(self, ask: Ask) -> Reply:
        shown = ask.parts or {"query": ask.messages[0]["content"], "response": ""}
        total = sum(map(int, NUMBER.findall(shown["query"])))
        said = NUMBER.findall(shown.get("response", ""))[-1:]
        score = 5 if said == [str(total)] else 1
        text = f'{{"explanation": "The sum is {total}.", "score": {score}}}'
        return Reply(text=f"<think>That makes {total}.</think>{text}", finish_reason="stop")


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


def distilled() -> list[DatasetExample]:
    """Return examples of one draw and of two, in both forms."""
    known: dict[str, Any] = {"source": _sums(6), "judges": lambda: {"teacher": Adder()}}
    options = {"teacher": "teacher", "rubric": SCALE}
    two = {**options, "draws": 2, "form": "qwen3", "leave_out": ["explanation"]}
    return [
        DatasetExample(title="one draw", options=options, **known),
        DatasetExample(title="two draws, layout mr3", options={**two, "layout": "mr3"}, **known),
    ]


def preferences() -> list[DatasetExample]:
    """Return an example of rows with answers, and one whose answers a policy writes."""
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
            options={**asked, "policy": "policy", "parallel": "topic", "most_parallel": 1},
            judges=lambda: {"main": Adder(), "policy": Guesser()},
            **known,
        ),
    ]


def agreeing() -> list[DatasetExample]:
    """Return examples that go by the rows' scores, and by a small model too, which scores no response here."""
    rows = [Sample(id=row.id, prompt=row.prompt, fields={**row.fields, "judged": "5"}) for row in _sums(6)]
    asked = {"judge": "small", "draws": 3, "scores": []}
    return [
        DatasetExample(title="scores", options={}, source=rows),
        DatasetExample(title="small model", options=asked, source=rows, judges=lambda: {"small": Adder()}),
    ]
