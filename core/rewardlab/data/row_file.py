"""The rows of a file, whatever its format: JSON lines, a JSON array, CSV or parquet, by the ending of its name."""

import os
import zlib
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO, cast

from rewardlab.data.csv_rows import csv_rows
from rewardlab.data.json_array import array_items, is_array
from rewardlab.data.jsonl import json_lines
from rewardlab.data.parquet import parquet_rows
from rewardlab.errors import Problem, UserError

PACKED = ".gz"
ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
"""of the formats that are read; all but parquet may also be packed. Files of other names are read as JSON lines"""
DELIMITERS = {".csv": ",", ".tsv": "\t"}

NumberedRow = tuple[int, dict[str, Any] | Problem]


def read_lines(path: str | os.PathLike[str], any_text: bool = False) -> Generator[NumberedRow]:
    """Yield (number, the row or what is wrong with it) for each row of a file, streaming.

    The ending of the name says the format: .json is a JSON array of objects (or lines of them), .csv and .tsv have a
    head with the columns' names, .parquet needs pyarrow, and everything else is JSON lines; .gz after it is unpacked.
    number: the line in which a row begins, from 1; of a JSON array and of parquet, the row's. Text is UTF-8, with or
    without a byte order mark. A row is also wrong if it has NaN or an infinity, a key twice in one object, half a
    surrogate pair (any_text: lets it pass in JSON, as a model can write one), or is longer than 64 MiB.

    Raises UserError at once if the file cannot be opened, later if it cannot be read to its end.
    """
    path = os.fspath(path)
    form = ending(path)
    file = open_packed(path)
    if form == ".parquet":
        file.close()
        return parquet_rows(path)
    return _rows_of_text(file, path, form, any_text)


def ending(path: str) -> str:
    """Return the one of ENDINGS that a name has, packed or not; "" if it has none of them."""
    name = path.lower()
    if name.endswith(PACKED):
        name = name.removesuffix(PACKED)
        if name.endswith(".parquet"):
            raise UserError("parquet is packed already; unpack the file", where=path)
    return next((known for known in ENDINGS if name.endswith(known)), "")


def refuse_stream(path: str) -> None:
    """Raise UserError if this is a pipe or a device, whose lines can be read only once."""
    if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
        raise UserError("rows are read twice; name a regular file", where=path)


def open_packed(path: str) -> BinaryIO:
    """Open a file to read its bytes, unpacked if its name ends in .gz. Raises UserError if it cannot be opened."""
    try:
        if path.lower().endswith(PACKED):
            import gzip

            return cast(BinaryIO, gzip.open(path, "rb"))
        return open(path, "rb")
    except FileNotFoundError:
        looked = "" if os.path.isabs(path) else f" in {os.getcwd()}"
        raise UserError(f"no such file{looked}", where=path) from None
    except IsADirectoryError:
        raise UserError("this is a folder; name a file of rows", where=path) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise UserError(f"cannot be opened: {_os_reason(error)}", where=path) from error


def _rows_of_text(file: BinaryIO, path: str, form: str, any_text: bool) -> Generator[NumberedRow]:
    last = 0
    try:
        with file:
            for last, row in _text_rows(file, path, form, any_text):
                yield last, row
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"cannot be read: {_os_reason(error)}", where=f"{path}:{last + 1}") from error


def _text_rows(file: BinaryIO, path: str, form: str, any_text: bool) -> Iterator[NumberedRow]:
    if form in DELIMITERS:
        return csv_rows(file, path, DELIMITERS[form])
    if form == ".json" and is_array(file):
        return array_items(file, path, any_text)
    return json_lines(file, path, any_text)


def _os_reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
