"""The columns of a run's ledger, of which docs/ledger.md says what each holds: `Ledger` writes them, in lines of JSON.

Whoever adds one gives the lines another version if a reader must know.
"""

from collections.abc import Mapping
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
    "total": "float",
    "shaped": "float",
    "rest": "float",
}
"""the columns of every ledger, as a flat table begins; lines have no `superseded`, which a reader works out"""

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
