"""Stage `data`: write a dataset to a JSONL file, keeping the rows that an earlier attempt wrote."""

import json
import os
from collections.abc import Callable
from io import FileIO
from pathlib import Path

from tqdm import tqdm

from rewardlab.datasets import read_dataset
from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.specs import Context
from rewardlab.types import Sample


def write_dataset(plan: Plan, index: int, say: Callable[[str], None]) -> None:
    """Write the dataset of stage `index` to its `to`, row by row, but for the rows (by id) that are there."""
    target = Path(plan.recipe.stages[index].to).expanduser()
    target.parent.mkdir(parents=True, exist_ok=True)
    there = _ids(target)
    rows = read_dataset(plan.datasets["stages", index, "dataset"], Context(seed=plan.recipe.seed))
    count = 0
    with target.open("ab", buffering=0) as file:
        for sample in tqdm(rows, desc=str(target), unit="row", disable=None, delay=2):
            if sample.id not in there:
                _append(file, json.dumps(_row(sample), ensure_ascii=False) + "\n")
                count += 1
    say(f"wrote {count} rows to {target}" + (f" ({len(there)} were there)" if there else ""))


def _append(file: FileIO, line: str) -> None:
    """Write a whole line, or leave the file as it was."""
    size, data = file.tell(), line.encode("utf-8", "backslashreplace")  # a JSON escape, too
    try:
        while data:  # one write may take less than all
            data = data[file.write(data) :]
    except OSError:
        os.truncate(file.fileno(), size)
        raise


def _row(sample: Sample) -> dict:
    return {"id": sample.id, "prompt": [dict(message) for message in sample.prompt], **sample.fields}


def _ids(target: Path) -> set[str]:
    """Ids of the whole lines of `target`; a torn last line, left by a kill, is cut off."""
    if not target.exists():
        return set()
    whole, found = 0, set()
    with target.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            try:
                found.add(json.loads(line)["id"])
            except (ValueError, KeyError, TypeError) as error:
                raise UserError(f"{target}:{number}: no row of a data stage; move this file away") from error
    os.truncate(target, whole)
    return found
