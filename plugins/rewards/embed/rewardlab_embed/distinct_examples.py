"""Examples for the laws of embed/distinct: rows and an evaluation set; the user gives the model."""

import json
from pathlib import Path
from typing import Any

from rewardlab import Sample
from rewardlab.laws import DatasetExample

EVALUATED = ("A train leaves at noon and arrives at four. How long does it travel?",)
PROBLEMS = (
    "How many prime numbers are there below twenty?",
    EVALUATED[0],
    "Factor the polynomial x^2 - 5x + 6.",
    "A jar holds 12 red and 8 blue balls. What share of them is red?",
    "Welche Zahl ist um drei größer als sieben?",
)


def examples_of_distinct() -> list[DatasetExample]:
    """Return examples whose source has a row of the evaluation set, by a threshold and by rank."""
    source = [
        Sample(id=f"r{k}", prompt=({"role": "user", "content": text},), source=f"train.jsonl:{k + 1}")
        for k, text in enumerate(PROBLEMS)
    ]
    return [
        DatasetExample(title="threshold", options=_against, needs=("model",), source=source),
        DatasetExample(
            title="nearest",
            options=lambda folder: {**_against(folder), "threshold": 1.0, "nearest": 2},
            needs=("model",),
            source=source,
            off=dict.fromkeys(("streaming", "going_on"), "which rows are the nearest shows when all have been read"),
        ),
    ]


def _against(folder: Path) -> dict[str, Any]:
    path = folder / "evaluation.jsonl"
    path.write_text("".join(json.dumps({"problem": text}) + "\n" for text in EVALUATED), encoding="utf-8")
    return {"against": [str(path)], "threshold": 0.999}
