"""The table of scores that `rewardlab export` writes, as rows to score again: what it says of a completion is recorded.

A row of the parquet file is a completion, with the `id` of its prompt. Lists and objects are JSON in its cells.
"""

import json
from collections.abc import Mapping
from typing import Any

from rewardlab_studies.rollouts.records import Member, RecordFormat

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
            **_said(record),
            "token_count": record.get("tokens"),
            "truncated": bool(record["truncated"]),
        },
        fields=json.loads(record["fields"]),
        recorded={**json.loads(record["recorded"]), **scores},
    )


def _said(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the messages of a conversation, of other completions the text."""
    talk = record.get("messages")
    return {"text": record["completion"]} if talk is None else {"messages": json.loads(talk)}


def _prompt(cell: Any) -> Any:
    """Return a prompt's messages, which stand as JSON unless they are one text of the user."""
    if isinstance(cell, str) and cell.startswith("["):
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell


FORMAT = RecordFormat(tool="rewardlab's table of scores", columns=COLUMNS, member=_member).as_rollouts()
