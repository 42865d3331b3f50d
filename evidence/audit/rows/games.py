"""Rows of games that training scripts made popular: countdown, knights and knaves, products.

`python games.py GAME STYLE` prints them, a JSON object a line.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

CHAT = "<|im_start|>assistant\n<think>{why}</think>\n<answer>{answer}</answer>"
STYLES = {
    "tags": "<think>{why}</think>\n<answer>{answer}</answer>",
    "chat": CHAT,
    "assistant": "Assistant: <think>{why}</think>\n<answer>{answer}</answer>",
}
COUNTDOWNS = [
    (24, [3, 8, 1], "(8 * 3) * 1", "3 * 8 * 1"),
    (95, [20, 5, 80], "80 + 20 - 5", "(80 - 5) + 20"),
    (36, [6, 2, 12], "(12 + 6) * 2", "2 * (6 + 12)"),
    (50, [25, 4, 2], "25 * 4 / 2", "4 * 25 / 2"),
]
KNIGHTS = [
    (
        ("Zoey", "Oliver"),
        ("knave", "knight"),
        "Zoey says that Oliver is a knave. Oliver says that Zoey is a knave or he is a knave himself, but not both.",
    ),
    (("Ava", "Noah"), ("knight", "knave"), "Ava says that Noah is a knave. Noah says that both are knights."),
    (
        ("Mia", "Liam", "Emma"),
        ("knight", "knave", "knight"),
        "Mia says that Emma is a knight. Liam says that Mia is a knave. Emma says that Liam is a knave.",
    ),
]
PRODUCTS = [(12, 34), (56, 7), (105, 20), (99, 99)]


def countdown() -> Iterator[dict[str, Any]]:
    """Yield rows of countdown: each number once, and the target."""
    for target, numbers, answer, other in COUNTDOWNS:
        asked = (
            f"Using the numbers {numbers}, each exactly once, and +, -, *, /, make an equation that equals {target}. "
            "Answer with its left side in <answer> tags."
        )
        yield {
            "prompt": asked,
            "why": f"I try {answer}.",
            "answers": [answer, other],
            "ground_truth": {"target": target, "numbers": numbers},
        }


def knights() -> Iterator[dict[str, Any]]:
    """Yield rows of knights and knaves."""
    for names, roles, said in KNIGHTS:
        lines = [
            f"({number}) {name} is a {role}" for number, (name, role) in enumerate(zip(names, roles, strict=True), 1)
        ]
        asked = (
            f"Knights tell the truth, knaves lie. {said} Who is what? "
            "Answer with a line '(1) Name is a knight' for each in <answer> tags."
        )
        yield {
            "prompt": asked,
            "why": "I try each.",
            "answers": ["\n".join(lines)],
            "ground_truth": {"solution_text_format": "\n".join(lines)},
        }


def product() -> Iterator[dict[str, Any]]:
    """Yield products of whole numbers."""
    for one, other in PRODUCTS:
        yield {
            "prompt": f"What is {one} * {other}? Answer in <answer> tags.",
            "why": "I multiply.",
            "answers": [str(one * other)],
            "ground_truth": one * other,
        }


def main(game: str, style: str) -> None:
    """Print the rows of a game."""
    for number, row in enumerate({"countdown": countdown, "knights": knights, "product": product}[game]()):
        honest, *others = [STYLES[style].format(why=row["why"], answer=answer) for answer in row["answers"]]
        made = {"id": f"{game}-{number}", "prompt": row["prompt"], "honest": honest, "also_right": others}
        print(json.dumps({**made, "ground_truth": row["ground_truth"], "answer": row["answers"][0]}))


if __name__ == "__main__":
    main(*sys.argv[1:3])
