"""The format of a run's ledger: its place, and the columns of its lines, as docs/ledger.md has them.

Whoever adds a column gives the lines another version if a reader must know.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from rewardlab.errors import UserError

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
    "left_out": "text",
    "unlicensed": "text",
    "superseded": "bool",
    "group": "int",
    "index": "int",
    "id": "text",
    "prompt": "text",
    "completion": "text",
    "tokens": "int",
    "truncated": "bool",
    "messages": "text",
    "seconds": "float",
    "error": "text",
    "total": "float",
    "shaped": "float",
    "rest": "float",
    "progress": "float",
}
"""the columns of every ledger, as a flat table begins; lines have no `superseded`, which a reader works out"""
UNLICENSED = "unlicensed"
"""key of a manifest: attempt -> {judge that was asked without the licence that its recipe requires: why}"""
SOME_HAVE = ("left_out", UNLICENSED, "messages", "seconds", "error", "progress")
"""of groups that do not teach, of attempts whose judges lack a licence, of conversations, of rollouts whose time is
known or that failed, and of totals with a progress: a table has them if a line does"""

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

LEDGER_FILE = "ledger.jsonl"


def ledger_path(run: Path) -> Path:
    """Return where the ledger of the run in a folder stands, or will. UserError if the run wrote it in shards."""
    if any((run / "ledger").glob("*.index.jsonl")):
        raise UserError(
            "this run's ledger is in shards (its folder ledger/), which this version does not read; a checkout from "
            f"before there was one {LEDGER_FILE}, such as the one that wrote it, reads and resumes it",
            where=str(run),
        )
    return run / LEDGER_FILE
