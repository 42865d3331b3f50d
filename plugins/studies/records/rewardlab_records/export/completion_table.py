"""Scored groups as a table with a row for each completion, for pandas or polars; columns as in docs/ledger.md."""

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from rewardlab import Message, ScoredCompletion
from rewardlab.errors import UserError
from rewardlab.scoring import ScoredGroup

Library = Literal["pandas", "polars"]
LIBRARIES: Sequence[Library] = ("pandas", "polars")
Columns = dict[str, list[Any]]


def completion_table(groups: Iterable[ScoredGroup], library: Library | None = None) -> Any:
    """Return a data frame of the library, absent: of the first of pandas and polars that is installed.

    Raises a UserError that says what to install if it is not there.
    """
    if library is not None and library not in LIBRARIES:
        raise UserError(f"no table of {library!r}; libraries are {' and '.join(LIBRARIES)}")
    there = [name for name in LIBRARIES if find_spec(name) is not None]
    wanted = library or next(iter(there), None)
    if wanted not in there:
        raise UserError(f"no table without {library or 'pandas or polars'}: pip install {library or 'pandas'}")
    columns = _columns([row for group in groups for row in _rows(group)])
    assert wanted is not None
    lenient = {"strict": False} if wanted == "polars" else {}  # a column may hold values of several types
    return import_module(wanted).DataFrame(columns, **lenient)


def _columns(rows: Sequence[Mapping[str, Any]]) -> Columns:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _rows(group: ScoredGroup) -> list[dict[str, Any]]:
    asked = {"id": group.sample.id, "prompt": _prompt(group.sample.prompt)}
    fields = {f"fields.{name}": _cell(value) for name, value in group.sample.fields.items()}
    return [
        {"index": index, **asked, **_answer(scored), **fields, **_components(scored)}
        for index, scored in enumerate(group.by_completion())
    ]


def _prompt(messages: Sequence[Message]) -> Any:
    if len(messages) == 1 and messages[0]["role"] == "user":
        return messages[0]["content"]
    return _cell(list(messages))


def _answer(scored: ScoredCompletion) -> dict[str, Any]:
    messages = scored.completion.messages
    return {
        "completion": scored.completion.text,
        "tokens": scored.completion.token_count,
        "truncated": scored.completion.truncated,
        **({"messages": _cell(list(messages))} if messages else {}),
        "total": scored.total,
        "shaped": scored.shaped,
        "rest": scored.rest,
    }


def _components(scored: ScoredCompletion) -> dict[str, Any]:
    cells = {}
    for name, score in scored.components.items():
        given = {"value": score.value, "reason": score.reason, "contribution": score.contribution}
        error = score.reason if score.failed else None
        for key, value in {**given, "error": error, "info": _cell(dict(score.info))}.items():
            cells[f"components.{name}.{key}"] = value
    return cells


def _cell(value: Any) -> Any:
    """Return lists and objects as JSON, so that every cell holds one value."""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, Mapping | list | tuple) else value
