"""Examples for the laws: responses whose rank is known, and a critic that knows the right answer."""

import json
from dataclasses import replace
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import DatasetExample, RewardExample

from rewardlab_checklist.checklist import Checklist, Dimension
from rewardlab_checklist.checklist_choice import REASONING, TaskChecklists
from rewardlab_checklist.checklist_file import find_checklist
from rewardlab_checklist.question import ANSWER, TRACE

PENS = Sample(
    id="pens",
    prompt=({"role": "user", "content": "Ann has 3 red pens and 4 blue ones. How many pens does she have?"},),
    fields={"task": "ODQA"},
)
RIGHT = [
    "<think>3 and 4 is 7, which answers it.</think><answer>She has 7 pens.</answer>",
    "<think>Red and blue: 3 + 4 = 7.</think><answer>7</answer>",
]
WRONG = ["", "<think>3 and 4 is 8.</think><answer>She has 8 pens.</answer>", "<think>Hm.</think><answer>Many.</answer>"]


class KnowingCritic:
    """A critic that knows that 7 is right: all dimensions of a part with it get the best score, of others the worst.

    Args:
        other: what it takes a trace without 7 for.
    """

    def __init__(self, other: str = "Chat") -> None:
        self._other = other

    async def ask(self, ask: Ask) -> Reply:
        lists = {TRACE: find_checklist(REASONING), ANSWER: TaskChecklists().of("ODQA", None)}
        critique = {part: self._entries(lists[part], text) for part, text in ask.parts.items() if part != "query"}
        return Reply(
            text=f"<think>Let me see.</think>\n{json.dumps(critique)}", finish_reason="stop", completion_tokens=9
        )

    def _entries(self, checklist: Checklist, text: str) -> dict[str, Any]:
        return {dimension.name: self._entry(dimension, "7" in text, text) for dimension in checklist.dimensions}

    def _entry(self, dimension: Dimension, right: bool, text: str) -> Any:
        if dimension.recognises:
            return "ODQA" if right else self._other
        best, worst = (
            max(dimension.labels, key=dimension.labels.__getitem__),
            min(dimension.labels, key=dimension.labels.__getitem__),
        )
        return {"evidence": [text.split()[0]], "why": "It says so.", "score": best if right else worst}


def _examples(**options: Any) -> list[RewardExample]:
    known: dict[str, Any] = {"sample": PENS, "good": RIGHT, "bad": WRONG, "judges": lambda: {"main": KnowingCritic()}}
    return [
        RewardExample(title="joint", options={"judge": "main", **options}, **known),
        RewardExample(title="separate", options={"judge": "main", "critique": "separate", **options}, **known),
    ]


def reasoning() -> list[RewardExample]:
    """Return examples of a joint and of a separate critique."""
    return _examples()


def answer() -> list[RewardExample]:
    """Return the same, and one whose checklist a critique of the trace picks."""
    recognised = {"judge": "main", "critique": "separate", "task": "recognised"}
    more = RewardExample(
        title="recognised",
        options=recognised,
        sample=PENS,
        good=RIGHT,
        bad=WRONG[:1],
        judges=lambda: {"main": KnowingCritic(other="ODQA")},
    )
    return [*_examples(), more]


def task() -> list[RewardExample]:
    """Return examples of a joint and of a separate critique."""
    return _examples()


def critiques() -> list[DatasetExample]:
    """Return examples of a teacher that is asked three questions a row, and of critiques that the rows have."""
    rows = [
        replace(PENS, id=f"pens-{number}", fields={**PENS.fields, "response": text})
        for number, text in enumerate([*RIGHT, *WRONG[1:], *RIGHT])
    ]
    entry = {"evidence": ["7"], "why": "It says so.", "score": "1"}
    critique = {"answer": {dimension.name: entry for dimension in TaskChecklists().of("ODQA", None).dimensions}}
    given = [replace(row, fields={**row.fields, "critique": critique}) for row in rows if "7" in row.fields["response"]]
    return [
        DatasetExample(
            title="a teacher",
            options={"teacher": "teacher", "kinds": ["reasoning", "answer", "joint"]},
            source=rows,
            judges=lambda: {"teacher": KnowingCritic()},
        ),
        DatasetExample(title="given", options={"given": "critique", "kinds": ["answer"]}, source=given),
    ]
