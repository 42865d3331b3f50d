"""The format of a run's ledger: the columns of its lines, as docs/ledger.md has them, and the files of one in shards.

Whoever adds a column gives the lines another version if a reader must know.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

LEDGER_VERSION = 2
"""of the lines; those of version 1 name none, and have no phase, prompt and fields"""

ColumnType = Literal["int", "float", "bool", "text"]

LEDGER_COLUMNS: Mapping[str, ColumnType] = {
    "version": "int",
    "attempt": "int",
    "stage": "int",
    "step": "int",
    "phase": "text",
    "trained": "text",
    "superseded": "bool",
    "group": "int",
    "index": "int",
    "id": "text",
    "prompt": "text",
    "completion": "text",
    "tokens": "int",
    "truncated": "bool",
    "messages": "text",
    "total": "float",
    "shaped": "float",
    "rest": "float",
    "progress": "float",
}
"""the columns of every ledger, as a flat table begins; lines have no `superseded`, which a reader works out"""
SOME_HAVE = ("messages", "progress")
"""columns of conversations, and of totals with a progress: a table has them if a line does"""

SCORE_COLUMNS: Mapping[str, ColumnType] = {
    "value": "float",
    "error": "text",
    "contribution": "float",
    "weight": "float",
    "gate": "float",
    "counterfactual": "float",
    "stand_in": "float",
    "info": "text",
}
"""what a line may say of each component, under `components`"""

LEDGER_BEGINNING = ("version", "attempt", "stage", "step", "group", "index", "trained", "phase")
"""the keys with which a line begins, in this order"""


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
