"""Rows of a task of reasoning-gym: the entries of its own generator, with the answers that come with them.

`python generated_tasks.py TASK` prints them, a JSON object a line, where reasoning-gym is installed.
"""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "adapters"))

from reasoning_gym_tasks import SIZE, dataset

SOLVED: Mapping[str, Callable[[Mapping[str, Any]], str | None]] = {
    "graph_color": lambda entry: json.dumps(
        {str(key): value for key, value in entry["metadata"]["possible_answer"].items()}
    ),
    "propositional_logic": lambda entry: entry["metadata"]["example_answer"],
    "rubiks_cube": lambda entry: entry["metadata"]["example_correct_answer"],
}
"""Tasks whose entries have their answer elsewhere: more than one is right."""


def main(task: str) -> None:
    """Print the rows of a task."""
    entries = dataset(task)
    for index in range(SIZE):
        entry = entries[index]
        answer = SOLVED.get(task, lambda entry: entry["answer"])(entry)
        if answer is None:
            continue
        row = {"id": f"{task}-{index}", "prompt": entry["question"], "honest": answer, "index": index, "answer": answer}
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1])
