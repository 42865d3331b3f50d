"""Scores as a flat table: a row for each completion, and columns for each component, named as in a flat ledger."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab_training import ColumnType

from rewardlab_records.export.scored_rows import ScoredRow, ScoredRows, columns_of_members
from rewardlab_records.ledger.columns import Column
from rewardlab_records.ledger.flat_file import flat_file, format_of
from rewardlab_records.ledger.table import prompt_cell, typed

COLUMNS: Mapping[str, ColumnType] = {
    "id": "text",
    "index": "int",
    "prompt": "text",
    "completion": "text",
    "tokens": "int",
    "truncated": "bool",
    "messages": "text",
    "fields": "text",
    "recorded": "text",
    "total": "float",
    "shaped": "float",
}
OF_COMPONENT: Mapping[str, ColumnType] = {"value": "float", "error": "text", "info": "text"}


def write_table(scored: ScoredRows, output: Path) -> int:
    """Write the table to a new file, whose ending says the format, and return how many rows it has."""
    form, parts = format_of(output), scored.components()
    of_parts = {f"components.{part}.{key}": kind for part in parts for key, kind in OF_COMPONENT.items()}
    talks = scored.talks()
    types = {name: kind for name, kind in {**COLUMNS, **of_parts}.items() if talks or name != "messages"}
    columns = [Column(name=name, type=kind, path=(name,)) for name, kind in types.items()]
    count = 0
    with flat_file(output, form, columns) as write:
        for values in (row for one in scored for row in _rows(one, parts, talks)):
            write([typed(value, column.type) for value, column in zip(values, columns, strict=True)])
            count += 1
    return count


def _rows(scored_row: ScoredRow, parts: list[str], talks: bool) -> Iterator[list[Any]]:
    """Yield the values of the columns for each completion of a group; talks: whether some have messages."""
    sample, scores = scored_row.group.sample, scored_row.scores
    fields = {name: value for name, value in sample.fields.items() if name != "recorded"}
    recorded = columns_of_members(sample.fields, len(scored_row.group.completions))
    for index, completion in enumerate(scored_row.group.completions):
        found = [scores["components"][part] for part in parts]
        said = [found_of[key][index] for found_of in found for key in OF_COMPONENT]
        yield [
            sample.id,
            index,
            _prompt(sample.prompt),
            completion.text,
            completion.token_count,
            completion.truncated,
            *([completion.messages or None] if talks else []),
            fields,
            {name: values[index] for name, values in recorded.items()},
            scores["total"][index],
            scores["shaped"][index],
            *said,
        ]


def _prompt(messages: Sequence[Mapping[str, str]]) -> Any:
    """Return a prompt's cell; a text that could be read as messages stands in a message."""
    cell = prompt_cell(messages)
    return messages if isinstance(cell, str) and cell.lstrip().startswith("[") else cell
