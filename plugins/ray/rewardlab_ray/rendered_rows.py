"""The samples of a stage as the actors of a job read them: a line for each, with its prompt's text."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rewardlab import Sample


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A sample and its prompt's text; `opened` is the `<think>` that the chat template began the completion with."""

    sample: Sample
    prompt: str
    opened: str = ""


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a line of JSON for each row."""
    with path.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for row in rows:
            sample = row.sample
            line = {
                "id": sample.id,
                "messages": [dict(message) for message in sample.prompt],
                "fields": dict(sample.fields),
                "source": sample.source,
                "prompt": row.prompt,
                "opened": row.opened,
            }
            file.write(f"{json.dumps(line)}\n")


def read_rows(path: Path) -> list[Row]:
    """Return the rows that `write_rows` wrote, in order."""
    with path.open(encoding="utf-8") as file:
        return [_row(json.loads(line)) for line in file]


def _row(line: dict) -> Row:
    sample = Sample(id=line["id"], prompt=line["messages"], fields=line["fields"], source=line["source"])
    return Row(sample=sample, prompt=line["prompt"], opened=line["opened"])
