"""The files of a ledger in shards: how its folder and indices are called, and how a line of a shard begins."""

import json
from contextlib import suppress
from pathlib import Path

LEDGER_FOLDER = "ledger"
INDEX_ENDING = ".index.jsonl"


def ledger_indices(folder: Path) -> list[Path]:
    """Return the indices in a folder of shards, by attempt and stage."""
    found = [path for path in folder.glob(f"*{INDEX_ENDING}") if _numbers(path) is not None]
    return sorted(found, key=lambda path: _numbers(path) or ())


def _numbers(index: Path) -> tuple[int, ...] | None:
    """Return the attempt and the stage of an index "ATTEMPT-STAGE.index.jsonl"; None of another file."""
    with suppress(ValueError):
        attempt, stage = index.name.removesuffix(INDEX_ENDING).split("-")
        return int(attempt), int(stage)
    return None


def shard_beginning(key: str, index: int) -> str:
    """Return how a shard's line begins that holds completion `index` of the group with this key."""
    return json.dumps({"key": key, "index": index})[:-1] + ", "
