"""Whether a line is one of a ledger, as docs/ledger.md has them."""

from collections.abc import Mapping
from typing import Any

from rewardlab.data import kind_of, shown_name
from rewardlab_training import LEDGER_COLUMNS, SCORE_COLUMNS, ColumnType

from rewardlab_records.ledger.columns import INT64

NUMBERS = ("attempt", "stage", "group", "index")
NEEDED = (*NUMBERS, "step", "trained", "id", "completion", "components", "total")


def fault_of_line(line: Mapping[str, Any]) -> str:
    """Return why this is not a line of a ledger; "" if it is one."""
    if missing := [key for key in NEEDED if key not in line]:
        return f"no {missing[0]}; a ledger's lines have one"
    if other := [key for key in NUMBERS if type(line[key]) is not int]:
        return f"{other[0]} must be a whole number, not {kind_of(line[other[0]])}"
    for key, kind in LEDGER_COLUMNS.items():
        if wrong := _wrong_type(line.get(key), kind):
            return f"{key} must be {wrong}"
    return _fault_of_components(line["components"]) or _fault_of_sample(line)


def _wrong_type(value: Any, kind: ColumnType) -> str:
    """Return what a value of a column must be, and what it is; "" if it fits. Everything can be written as text."""
    if value is None or kind == "text":
        return ""
    if kind == "bool":
        return "" if isinstance(value, bool) else f"true, false or null, not {kind_of(value)}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{'a whole number' if kind == 'int' else 'a number'} or null, not {kind_of(value)}"
    if kind == "int" and isinstance(value, float):
        return f"a whole number or null, not {kind_of(value)}"
    if isinstance(value, int) and value not in INT64:
        return f"a number of 64 bits, not {kind_of(value)}"
    return ""


def _fault_of_components(entries: Any) -> str:
    if not isinstance(entries, Mapping) or not all(isinstance(entry, Mapping) for entry in entries.values()):
        return "components must be an object with an object for each component"
    for name, entry in entries.items():
        for key, kind in SCORE_COLUMNS.items():
            if wrong := _wrong_type(entry.get(key), kind):
                return f"{key} of the component {shown_name(name)} must be {wrong}"
    return ""


def _fault_of_sample(line: Mapping[str, Any]) -> str:
    messages = line.get("prompt", [])
    if not isinstance(messages, list) or not all(
        isinstance(message, Mapping) and {"role", "content"} <= message.keys() for message in messages
    ):
        return "prompt must be a list of messages, each with role and content"
    if not isinstance(line.get("fields", None if "prompt" in line else {}), Mapping):
        return "fields must be an object"
    return ""
