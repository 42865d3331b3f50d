"""Scores as a flat table: a row for each completion, and columns for each component, named as in a flat ledger."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError
from rewardlab_training import LEDGER_COLUMNS, SCORE_COLUMNS

from rewardlab_records.export.scored_rows import ScoredRow, ScoredRows, columns_of_members
from rewardlab_records.ledger.columns import Column
from rewardlab_records.ledger.flat_file import flat_file, format_of
from rewardlab_records.ledger.table import FlatRow, flat_row, prompt_cell

COLUMNS = ("id", "index", "prompt", "completion", "tokens", "truncated", "messages", "fields", "recorded")
SCORES = ("total", "shaped")
OF_COMPONENT = ("value", "error", "info")


def write_table(scored: ScoredRows, output: Path) -> int:
    """Write the table to a new file, whose ending says the format, and return how many rows it has.

    Raises UserError for a row that has other components than the first.
    """
    form, parts = format_of(output), scored.components()
    columns = _columns(parts, scored.talks())
    with flat_file(output, form, columns) as write:
        return sum(_write(row, parts, columns, write, scored.scored) for row in scored)


def write_partitions(scored: ScoredRows, folder: Path, rows_per_file: int, written: Callable[[Path], None]) -> int:
    """Write the table to new parquet files in a folder, and return how many rows they have.

    A file ends once it has so many rows and its last group is whole; `written` is called with it then. UserError: as of
    `write_table`.
    """
    form, parts, rows, count = format_of(folder / partition(0)), scored.components(), iter(scored), 0
    columns, row = _columns(parts, scored.talks()), next(rows, None)
    for number in itertools.count():
        if row is None:
            break
        with flat_file(folder / partition(number), form, columns) as write:
            end = count + rows_per_file
            while row is not None and count < end:
                count += _write(row, parts, columns, write, scored.scored)
                row = next(rows, None)
        written(folder / partition(number))
    return count


def partition(number: int) -> str:
    """Return the name of a table's part, whose beginning is the split that the hub takes it for."""
    return f"train-{number:05}.parquet"


def _write(
    row: ScoredRow, parts: Sequence[str], columns: Sequence[Column], write: Callable[[FlatRow], None], where: str
) -> int:
    """Write a group; return how many rows it is."""
    if row.scores["components"].keys() != set(parts):
        problem = f"the row {row.scores['id']!r} has other components than {', '.join(parts)}"
        raise UserError(f"{problem}, those of the first; export the scores of one recipe", where=where)
    lines = [*_lines(row)]
    for line in lines:
        write(flat_row(line, columns))
    return len(lines)


def _columns(parts: Sequence[str], talks: bool) -> list[Column]:
    """Return the columns of these components; talks: whether a completion is a conversation."""
    names = [name for name in (*COLUMNS, *SCORES) if talks or name != "messages"]
    columns = [Column(name=name, type=LEDGER_COLUMNS.get(name, "text"), path=(name,)) for name in names]
    return columns + [
        Column(name=f"components.{part}.{key}", type=SCORE_COLUMNS[key], path=("components", part, key))
        for part in parts
        for key in OF_COMPONENT
    ]


def _lines(row: ScoredRow) -> Iterator[dict[str, Any]]:
    """Yield each completion of a group as a line of a ledger has it."""
    sample, scores = row.group.sample, row.scores
    fields = {name: value for name, value in sample.fields.items() if name != "recorded"}
    recorded = columns_of_members(sample.fields, len(row.group.completions))
    for index, completion in enumerate(row.group.completions):
        yield {
            "id": sample.id,
            "index": index,
            "prompt": _prompt(sample.prompt),
            "completion": completion.text,
            "tokens": completion.token_count,
            "truncated": completion.truncated,
            "messages": completion.messages or None,
            "fields": fields,
            "recorded": {name: values[index] for name, values in recorded.items()},
            **{name: scores[name][index] for name in SCORES},
            "components": {
                part: {key: values[key][index] for key in OF_COMPONENT} for part, values in scores["components"].items()
            },
        }


def _prompt(messages: Sequence[Mapping[str, str]]) -> Any:
    """Return a prompt's cell; a text that could be read as messages stands in a message."""
    cell = prompt_cell(messages)
    return messages if isinstance(cell, str) and cell.lstrip().startswith("[") else cell
