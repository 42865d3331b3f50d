"""A flat table as a file that pandas and polars read without options, written row by row: parquet, CSV, JSON lines."""

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from rewardlab.errors import JobError, UserError
from rewardlab_data.parquet import import_pyarrow

from rewardlab_records.ledger.columns import Column
from rewardlab_records.ledger.table import FlatRow

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: Sequence[Format] = ("parquet", "csv", "jsonl")
_RUN = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
BATCH_ROWS, BATCH_CHARACTERS = 2_000, 1 << 24
"""rows of a parquet file that are kept until they are written together, and characters of these"""


def format_of(output: Path) -> Format:
    """Return the format that a file's ending names. UserError for another one, or if its library is missing."""
    for form in FORMATS:
        if output.name.lower().endswith(f".{form}"):
            if form == "parquet":
                import_pyarrow(str(output))
            return form
    raise UserError("the ending says the format: .parquet, .csv or .jsonl", where=str(output))


def inert(cell: Any) -> Any:
    """Return a cell of CSV in which a spreadsheet sees no formula: a text with an apostrophe before its sign."""
    runs = isinstance(cell, str) and _RUN.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if runs else cell


@contextmanager
def flat_file(
    output: Path, form: Format, columns: Sequence[Column], raw: bool = False
) -> Iterator[Callable[[FlatRow], None]]:
    """Yield what writes a row to a file that is there, whole, when the block ends without an exception.

    Args:
        raw: texts of CSV are as they are, even those in which a spreadsheet would see a formula.

    Raises JobError if the disk refuses, UserError if somebody has written this file meanwhile.
    """
    opened = {"parquet": _parquet, "csv": _csv, "jsonl": _jsonl}[form]
    try:
        # a folder and no mkstemp: a file that is made in it has the permissions that the user's umask says
        with TemporaryDirectory(dir=output.parent, prefix=".rewardlab-", ignore_cleanup_errors=True) as folder:
            scratch = Path(folder, "table")
            with opened(scratch, columns) as write:
                yield write if raw or form != "csv" else lambda row: write(list(map(inert, row)))
            _publish(scratch, output)
    except FileExistsError:
        raise UserError("exists already; give -o another name", where=str(output)) from None
    except OSError as error:
        raise JobError(f"{output} cannot be written: {error.strerror or error}") from error


def _publish(scratch: Path, output: Path) -> None:
    """Give a whole file its name. FileExistsError if another has it: a link, unlike a rename, replaces none."""
    try:
        os.link(scratch, output)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if output.exists():
            raise FileExistsError(output) from None
        scratch.replace(output)


@contextmanager
def _jsonl(path: Path, columns: Sequence[Column]) -> Iterator[Callable[[FlatRow], None]]:
    names = [column.name for column in columns]
    with open(path, "w", encoding="utf-8") as file:
        yield lambda row: _write_json(file, dict(zip(names, row, strict=True)))
        _sync(file)


def _write_json(file: Any, row: dict[str, Any]) -> None:
    file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def _csv(path: Path, columns: Sequence[Column]) -> Iterator[Callable[[FlatRow], None]]:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(",".join(_quoted(column.name) for column in columns) + "\n")
        yield lambda row: _write_csv(file, row)
        _sync(file)


def _write_csv(file: Any, row: FlatRow) -> None:
    file.write(",".join(map(_cell, row)) + "\n")


def _cell(value: bool | int | float | str | None) -> str:
    """Return a cell of CSV: texts are quoted, so that "42" stays a text; a missing value is empty."""
    if value is None:
        return ""
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


@contextmanager
def _parquet(path: Path, columns: Sequence[Column]) -> Iterator[Callable[[FlatRow], None]]:
    pyarrow = import_pyarrow(str(path))
    import pyarrow.parquet as parquet

    types = {"int": pyarrow.int64(), "float": pyarrow.float64(), "bool": pyarrow.bool_(), "text": pyarrow.string()}
    schema = pyarrow.schema([(column.name, types[column.type]) for column in columns])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        batch = _ParquetBatch(lambda rows: writer.write_batch(_record_batch(pyarrow, schema, rows)))
        yield batch.add
        batch.flush()
    with open(path, "rb") as file:
        os.fsync(file.fileno())


class _ParquetBatch:
    """Rows that wait until there are enough of them to be written together."""

    def __init__(self, write: Callable[[list[FlatRow]], None]) -> None:
        self._write = write
        self._rows: list[FlatRow] = []
        self._characters = 0

    def add(self, row: FlatRow) -> None:
        self._rows.append(row)
        self._characters += sum(len(value) for value in row if isinstance(value, str))
        if len(self._rows) >= BATCH_ROWS or self._characters >= BATCH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            self._write(self._rows)
        self._rows, self._characters = [], 0


def _record_batch(pyarrow: Any, schema: Any, rows: Sequence[FlatRow]) -> Any:
    arrays = [
        pyarrow.array(list(column), kind) for column, kind in zip(zip(*rows, strict=True), schema.types, strict=True)
    ]
    return pyarrow.record_batch(arrays, schema=schema)


def _sync(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
