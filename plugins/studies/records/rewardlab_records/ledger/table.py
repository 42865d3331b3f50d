"""The rows of a ledger's flat table: every completion with its prompt, the sample's fields and what became of it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rewardlab_training import ColumnType

from rewardlab_records.ledger.columns import Column
from rewardlab_records.ledger.superseded_steps import CurrentSteps

FlatRow = list[bool | int | float | str | None]


def flat_rows(
    lines: Iterable[Mapping[str, Any]], columns: Sequence[Column], current: CurrentSteps
) -> Iterator[FlatRow]:
    """Yield a row for each line, with a value for each column; None if the line has none.

    The lines of a group follow each other, and only the first has the prompt and the fields: here all have them. A
    prompt of one user message is its text, one of several their JSON. Lists and objects are JSON, too.
    """
    group: tuple[int, ...] | None = None
    asked: dict[str, Any] = {}
    for line in lines:
        if (place := (line["attempt"], line["stage"], line["group"])) != group:
            group, asked = place, {}
        if "prompt" in line:
            asked = {"prompt": prompt_cell(line["prompt"]), "fields": line["fields"]}
        values = {"version": 1, **line, **asked, "superseded": line not in current}
        yield flat_row(values, columns)


def prompt_cell(messages: Sequence[Mapping[str, str]]) -> Any:
    """Return a prompt of one user message as its text, one of several as they are."""
    if len(messages) == 1 and messages[0]["role"] == "user":
        return messages[0]["content"]
    return messages


def flat_row(values: Mapping[str, Any], columns: Sequence[Column]) -> FlatRow:
    """Return the value of each column in a line, as the column's type has it; None if the line has none."""
    return [_typed(_at(values, column.path), column.type) for column in columns]


def _at(values: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = values
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def _typed(value: Any, kind: ColumnType) -> bool | int | float | str | None:
    if value is None:
        return None
    if kind == "text":
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        # half of a surrogate pair, which a policy can write, becomes its escape: no table knows it
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return float(value) if kind == "float" else value
