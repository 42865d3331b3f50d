"""The table of scores that `rewardlab export` writes, as rows to score again: what it says of a completion is recorded.

A row of the parquet file is a completion, with the `id` of its prompt. Lists and objects are JSON in its cells.
"""

from collections.abc import Mapping
from typing import Any

from rewardlab.data import json_values

from rewardlab_records.rollouts.records import Member, RecordFormat

COLUMNS = ("id", "index", "completion", "truncated", "fields", "recorded")
SCORES = ("total", "shaped")
OF_COMPONENTS = "components."


def _member(record: Mapping[str, Any]) -> Member:
    if not isinstance(record["completion"], str):
        raise ValueError("`completion` is a text")
    scores = {name: value for name, value in record.items() if name in SCORES or name.startswith(OF_COMPONENTS)}
    return Member(
        group=str(record["id"]),
        prompt=_prompt(record.get("prompt")),
        completion={
            **_answer_of(record),
            "token_count": record.get("tokens"),
            "truncated": bool(record["truncated"]),
            "seconds": record.get("seconds"),
            "error": record.get("error"),
        },
        fields=_object(record, "fields"),
        recorded={**_object(record, "recorded"), **scores},
    )


def _answer_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the messages of a conversation, of other completions the text."""
    talk = _values(record.get("messages"))
    return {"messages": talk} if isinstance(talk, list) else {"text": record["completion"]}


def _object(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    values = _values(record[name])
    if not isinstance(values, dict):
        raise ValueError(f"`{name}` is no text of a JSON object; of an exported table the .parquet is read, no .csv")
    return values


def _prompt(cell: Any) -> Any:
    """Return a prompt's messages, which stand as JSON unless they are one text of the user."""
    values = _values(cell)
    return values if isinstance(values, list) and all(isinstance(value, dict) for value in values) else cell


def _values(cell: Any) -> Any:
    """Return the values of a text of JSON, None if it is none."""
    try:
        return json_values(cell) if isinstance(cell, str) else None
    except (ValueError, RecursionError):
        return None


FORMAT = RecordFormat(tool="rewardlab's table of scores", columns=COLUMNS, member=_member).as_rollouts()
