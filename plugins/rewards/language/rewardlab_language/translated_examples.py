"""Examples for the laws of the data steps that translate: English problems and a translator."""

import re
from dataclasses import replace
from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import DatasetExample

PROBLEM = {
    "en": "On the table there are {0} red apples and {1} green apples. How many apples are there together?",
    "de": "Auf dem Tisch liegen {0} rote Äpfel und {1} grüne Äpfel. Wie viele Äpfel sind es zusammen?",
    "es": "En la mesa hay {0} manzanas rojas y {1} manzanas verdes. ¿Cuántas manzanas hay en total?",
}
SOLUTION = {
    "en": "First we count the {0} red apples, then the {1} green ones. The answer is \\boxed{{{2}}}.",
    "de": "Zuerst zählen wir die {0} roten Äpfel, dann die {1} grünen. Die Antwort ist \\boxed{{{2}}}.",
    "es": "Primero contamos las {0} manzanas rojas, luego las {1} verdes. La respuesta es \\boxed{{{2}}}.",
}
LANGUAGES = ("en", "de", "es")
NUMBER = re.compile(r"\d+")


def examples_of_translated() -> list[DatasetExample]:
    """Return examples of each kind of row; of one language a row, and of all."""
    options: dict[str, Any] = {"translator": "translator", "languages": LANGUAGES, "candidates": 2}
    known: dict[str, Any] = {"source": _problems(4), "judges": lambda: {"translator": PhrasebookTranslator()}}
    return [
        DatasetExample(title="sft", options={**options, "languages_per_row": "all"}, **known),
        DatasetExample(title="rl", options={**options, "kind": "rl"}, **known),
        DatasetExample(title="question", options={**options, "kind": "question"}, **known),
    ]


def examples_of_translated_fields() -> list[DatasetExample]:
    """Return examples that translate a solution into the row's language, and a question into English."""
    judges: dict[str, Any] = {"judges": lambda: {"translator": PhrasebookTranslator()}}
    solved = [replace(row, fields={**row.fields, "language": "de"}) for row in _problems(4)]
    asked = [_in_german(row, k) for k, row in enumerate(solved)]
    return [
        DatasetExample(
            title="into the row's language",
            options={"translator": "translator", "write": {"response": "<answer>$reference</answer>"}},
            source=solved,
            **judges,
        ),
        DatasetExample(
            title="into English",
            options={"translator": "translator", "write": {"prompt": "$prompt"}, "to": "en"},
            source=asked,
            **judges,
        ),
    ]


def _in_german(row: Sample, k: int) -> Sample:
    return replace(row, prompt=({"role": "user", "content": PROBLEM["de"].format(k + 2, 3 * k + 4)},))


class PhrasebookTranslator:
    """A translator that knows the problem and its solution in each language, for all numbers."""

    async def ask(self, ask: Ask) -> Reply:
        text = ask.parts["text"]
        known = SOLUTION if "\\boxed" in text else PROBLEM
        return Reply(text=known[ask.parts["target"]].format(*NUMBER.findall(text)), finish_reason="stop")


def _problems(count: int) -> list[Sample]:
    rows = []
    for k in range(count):
        numbers = (k + 2, 3 * k + 4, 4 * k + 6)
        rows.append(
            Sample(
                id=f"p{k}",
                prompt=({"role": "user", "content": PROBLEM["en"].format(*numbers)},),
                fields={"reference": SOLUTION["en"].format(*numbers), "answer": str(numbers[2])},
                source=f"english.jsonl:{k + 1}",
            )
        )
    return rows
