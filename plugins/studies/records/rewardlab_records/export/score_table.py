"""Scores as a flat table: a row for each completion, and columns for each component, named as in a flat ledger."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError
from rewardlab_training import LEDGER_COLUMNS, SCORE_COLUMNS

from rewardlab_records.export.scored_rows import ScoredRow, ScoredRows, columns_of_members
from rewardlab_records.ledger.columns import Column
from rewardlab_records.ledger.flat_file import flat_file, format_of
from rewardlab_records.ledger.table import flat_row, prompt_cell

COLUMNS = ("id", "index", "prompt", "completion", "tokens", "truncated", "messages", "fields", "recorded")
SCORES = ("total", "shaped")
OF_COMPONENT = ("value", "error", "info")


def write_table(scored: ScoredRows, output: Path) -> int:
    """Write the table to a new file, whose ending says the format, and return how many rows it has.

    Raises UserError for a row that has other components than the first.
    """
    form, parts, count = format_of(output), scored.components(), 0
    columns = _columns(parts, scored.talks())
    with flat_file(output, form, columns) as write:
        for row in scored:
            if row.scores["components"].keys() != set(parts):
                problem = f"the row {row.scores['id']!r} has other components than {', '.join(parts)}"
                raise UserError(f"{problem}, those of the first; export the scores of one recipe", where=scored.scored)
            for line in _lines(row):
                write(flat_row(line, columns))
                count += 1
    return count


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
