"""Examples for the laws of the data steps that make rubrics, wrong answers and summaries."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import DatasetExample


class Erring:
    """A judge that is off by one, and then says the number alone."""

    async def ask(self, ask: Ask) -> Reply:
        if "text" in ask.parts:
            return Reply(text=ask.parts["text"].rpartition(" ")[2], finish_reason="stop")
        return Reply(text=f"<think>Off by one.</think>Perhaps {int(ask.parts['reference']) + 1}", finish_reason="stop")


class Brief:
    """A judge that keeps the first sentence."""

    async def ask(self, ask: Ask) -> Reply:
        return Reply(text=ask.parts["text"].partition(".")[0] + ".", finish_reason="stop")


class RubricWriter:
    """A judge that writes a rubric of two levels, of its own for each draw."""

    def __init__(self, good: str = "2", bad: str = "1") -> None:
        self._good, self._bad = good, bad

    async def ask(self, ask: Ask) -> Reply:
        scoring = {self._bad: f"not what was asked ({ask.draw})", self._good: f"what was asked ({ask.draw})"}
        asked = " ".join(ask.parts.values())
        text = json.dumps({"description": f"Say whether it is what was asked: {asked}", "scoring": scoring})
        return Reply(text=f"<think>{{Two levels.}}</think>{text}", finish_reason="stop")


def _sums(count: int, **fields: Any) -> list[Sample]:
    rows = []
    for number in range(count):
        prompt = ({"role": "user", "content": f"How much is 7 + {number}?"},)
        rows.append(Sample(id=f"sum-{number}", prompt=prompt, fields={"answer": str(7 + number), **fields}))
    return rows


def negatives() -> list[DatasetExample]:
    """Return examples of options, of a corruption, and of a judge."""
    optional = _sums(8, options=[str(number) for number in range(7, 15)])
    labelled = [
        replace(row, id=f"{row.id}-options", fields={"answer": "B", "options": {"A": "6", "B": "7", "C": "12"}})
        for row in _sums(1)
    ]
    drawn = {"corruption": True, "numbers": {"mean": 8, "deviation": 2}, "write": "wrong"}
    return [
        DatasetExample(title="options", options={}, source=optional),
        DatasetExample(title="corrupted, and an option", options=drawn, source=[*_sums(4), *labelled]),
        DatasetExample(
            title="asked, one of the two",
            options={"judge": "liar", "write": "one"},
            source=_sums(8),
            judges=lambda: {"liar": Erring()},
        ),
    ]


def summarised() -> list[DatasetExample]:
    """Return examples in which every other row is too long, and every row."""
    known: dict[str, Any] = {"judges": lambda: {"brief": Brief()}}
    options = {"judge": "brief", "limit": 20}
    return [
        DatasetExample(title="every other row", options=options, source=_thoughts(0, 20), **known),
        DatasetExample(title="every row", options={**options, "attempts": 1}, source=_thoughts(20, 30), **known),
    ]


def _thoughts(*doubts: int) -> list[Sample]:
    """Return rows with thoughts that doubt so often, in turn."""
    rows = []
    for number, row in enumerate(_sums(8)):
        trace = "I add them." + " Or do I?" * doubts[number % len(doubts)]
        response = f"<think>{trace}</think>{row.fields['answer']}"
        rows.append(replace(row, fields={**row.fields, "trace": trace, "response": response}))
    return rows


def rubrics() -> list[DatasetExample]:
    """Return examples of two variants for each row, of one for each task, and of one after rubrics of other tasks."""
    known: dict[str, Any] = {"judges": lambda: {"writer": RubricWriter()}, "source": _sums(6, task="Check sums.")}
    two: dict[str, Any] = {"writer": "writer", "levels": 2}
    return [
        DatasetExample(title="two for each row", options={**two, "variants": 2}, **known),
        DatasetExample(title="one for each task", options={**two, "task": "task", "input": False}, **known),
        DatasetExample(
            title="retrieved, binary",
            options=_retrieved,
            source=known["source"],
            judges=lambda: {"writer": RubricWriter("true", "false")},
        ),
    ]


def _retrieved(folder: Path) -> dict[str, Any]:
    path = folder / "rubrics.json"
    others = [
        {"description": f"Check {subject}.", "scoring": {"true": f"the {subject} are right", "false": "they are not"}}
        for subject in ("dates", "sums", "names")
    ]
    path.write_text(json.dumps(others), encoding="utf-8")
    return {"writer": "writer", "asks": "binary", "examples": str(path), "nearest": 2}
