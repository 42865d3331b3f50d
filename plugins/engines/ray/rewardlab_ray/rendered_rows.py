"""Files with a line for each row of a stage: its samples as the actors of a job read them, and the engine's own."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rewardlab import Sample

Line = TypeVar("Line")


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


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write a line of JSON for each mapping."""
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(f"{json.dumps(line)}\n")


def undo_shuffle(lines: Sequence[Line], seed: int) -> list[Line]:
    """Return the lines in the order that an engine's sampler, which shuffles with `seed`, turns into the given one."""
    import torch

    generator = torch.Generator()
    generator.manual_seed(seed)
    placed = list(lines)
    for line, place in zip(lines, torch.randperm(len(lines), generator=generator).tolist(), strict=True):
        placed[place] = line
    return placed
