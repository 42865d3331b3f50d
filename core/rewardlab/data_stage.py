"""Stage `data`: write a dataset to a JSONL file, keeping the rows that an earlier attempt wrote."""

import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tqdm import tqdm

from rewardlab.appending import LineAppender
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
    with closing(LineAppender(target)) as file:
        for sample in tqdm(rows, desc=str(target), unit="row", disable=None, delay=2):
            if sample.id not in there:
                file.write(_line(sample))
                count += 1
    say(f"wrote {count} rows to {target}" + (f" ({len(there)} were there)" if there else ""))


def _line(sample: Sample) -> bytes:
    row = {"id": sample.id, "prompt": [dict(message) for message in sample.prompt], **sample.fields}
    # what UTF-8 cannot say, half of a surrogate pair, becomes its JSON escape
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


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
