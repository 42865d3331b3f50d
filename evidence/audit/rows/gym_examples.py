"""Rows of a server of NeMo-Gym: the rollouts of its own examples that it gave everything for.

`python gym_examples.py SERVER` prints them, a JSON object a line, where nemo-gym is installed. The answer of the
rollout is the honest completion; the columns are those of the rollout, and of the example that asks the same.
"""

import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _asked(row: Mapping[str, Any]) -> list[str]:
    """Return the texts of what was asked."""
    asked = row["responses_create_params"]["input"]
    return [asked] if isinstance(asked, str) else [text_of(item) for item in asked]


def main(server: str) -> None:
    """Print the rows of a server."""
    place = Path(importlib.util.find_spec("resources_servers").submodule_search_locations[0]) / server / "data"  # type: ignore[union-attr, index]
    examples = [json.loads(line) for line in (place / "example.jsonl").read_text().splitlines()]
    for number, line in enumerate((place / "example_rollouts.jsonl").read_text().splitlines()):
        rollout = json.loads(line)
        messages = [item for item in rollout["response"]["output"] if item.get("type") == "message"]
        asked = rollout["responses_create_params"]["input"]
        asked = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
        if rollout["reward"] < 1 or len(messages) != 1:
            continue
        row = {
            "id": f"{server}-{number}",
            "prompt": [
                {"role": item["role"].replace("developer", "system"), "content": text_of(item)}
                for item in asked
                if item.get("role")
            ],
            "honest": text_of(messages[0]),
        }
        alike = [each for each in examples if _asked(each) == _asked(rollout)]
        known = alike[0] if alike else {}  # some servers' rollouts are of other rows: what these have themselves is all
        names = [name for name in examples[0] if name not in ("responses_create_params", "agent_ref", "prompt")]
        columns = {name: rollout.get(name, known.get(name)) for name in names if name in {**rollout, **known}}
        print(json.dumps(row | columns, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1])
