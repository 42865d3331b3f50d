"""The rows of a file: JSON lines, or another format that a plugin reads, by the ending of its name."""

import os
import zlib
from collections.abc import Callable, Generator, Iterator
from difflib import get_close_matches
from io import BufferedReader
from typing import Any, BinaryIO, cast

from rewardlab.data.jsonl import json_lines
from rewardlab.errors import Problem, UserError
from rewardlab.first_party import installation, plugin_with
from rewardlab.specs.entry_points import entry_points_of

PACKED = ".gz"
RECIPES, TEXTS = ("yaml", "yml"), ("jsonl", "ndjson", "json", "csv", "tsv", "txt")
CONTENTS = {
    b"\x1f\x8b": "it is compressed with gzip; call it {name}.gz",
    b"\x28\xb5\x2f\xfd": "it is compressed with zstd; decompress it",
    b"PK\x03\x04": "it is a zip archive, as of a spreadsheet; unpack it, or save it as CSV",
    b"PAR1": "it is parquet; call it {name}.parquet",
    b"\xff\xfe": "it is UTF-16; save the file as UTF-8",
    b"\xfe\xff": "it is UTF-16; save the file as UTF-8",
}
"""how files begin that are no text in UTF-8 -> what they are, and what to do"""
MAX_NAME = 255
"""characters of a file's name"""
FORMATS = "rewardlab.row_formats"
"""entry points of plugins that read formats: an ending, such as "csv" -> a function (file, path, any_text) that yields
rows as `json_lines` does; one that reads other tools' records, too, also takes `nan_is_null`"""

NumberedRow = tuple[int, dict[str, Any] | Problem]


def read_lines(
    path: str | os.PathLike[str], any_text: bool = False, nan_is_null: bool = False
) -> Generator[NumberedRow]:
    """Yield (number, the row or what is wrong with it) for each row of a file, streaming.

    The ending of the name says the format: .json is a JSON array of objects (or lines of them), .csv and .tsv have a
    head with the columns' names, .parquet needs pyarrow, and everything else is JSON lines; .gz after it is unpacked.
    number: the line in which a row begins, from 1; of a JSON array and of parquet, the row's. Text is UTF-8, with or
    without a byte order mark. A row is also wrong if it has NaN or an infinity, a key twice in one object, half a
    surrogate pair (any_text: lets it pass in JSON, as a model can write one), or is longer than 64 MiB.
    nan_is_null: NaN and infinities are null, as in what another tool recorded.

    Raises UserError at once if the file cannot be opened or nothing reads its format, later if it cannot be read to its
    end.
    """
    path = os.fspath(path)
    read, file = _reader(path), open_packed(path)
    try:
        _refuse_other_content(file, path)
        rows = read(file, path, any_text, nan_is_null=True) if nan_is_null else read(file, path, any_text)
    except BaseException:
        file.close()
        raise
    return _rows(file, rows, path)


def _reader(path: str) -> Callable[..., Iterator[NumberedRow]]:
    """Return the function that reads a file of this name. Raises UserError if its plugin is missing or two claim it."""
    _, _, ending = os.path.basename(path).lower().removesuffix(PACKED).rpartition(".")
    points = entry_points_of(FORMATS).select(name=ending)
    if len(owners := sorted({point.dist.name for point in points if point.dist})) > 1:
        raise UserError(f".{ending} files are read by {' and '.join(owners)}; uninstall one of them", where=path)
    for point in points:
        read: Callable[..., Iterator[NumberedRow]] = point.load()
        return read
    if owner := plugin_with("formats", ending):
        raise UserError(f"nothing here reads .{ending} files; {installation(owner)}", where=path)
    return json_lines


def _refuse_other_content(file: BinaryIO, path: str) -> None:
    """Raise UserError if a file whose name says that it is text is a recipe, or begins as no text does."""
    name = os.path.basename(path)
    _, _, ending = name.lower().rpartition(".")
    if ending in RECIPES:
        raise UserError("this is a recipe, or other YAML; name a file of rows", where=path)
    if ending in TEXTS and isinstance(file, BufferedReader) and os.path.isfile(path):
        begins = file.peek(4)
        for magic, content in CONTENTS.items():
            if begins.startswith(magic):
                raise UserError(content.format(name=name), where=path)


def refuse_stream(path: str) -> None:
    """Raise UserError if this is a pipe or a device, whose lines can be read only once."""
    if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
        raise UserError("rows are read twice, so they must be a regular file", where=path)


def open_packed(path: str) -> BinaryIO:
    """Open a file to read its bytes, unpacked if its name ends in .gz. Raises UserError if it cannot be opened."""
    try:
        if path.lower().endswith(PACKED):
            import gzip

            return cast(BinaryIO, gzip.open(path, "rb"))
        return open(path, "rb")
    except FileNotFoundError:
        looked = "" if os.path.isabs(path) else f" in {os.getcwd()}"
        raise UserError(f"no such file{looked}{_meant(path)}", where=path) from None
    except IsADirectoryError:
        raise UserError("this is a folder; name a file of rows", where=path) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise UserError(f"cannot be opened: {_os_reason(error)}", where=path) from error


def _meant(path: str) -> str:
    """Return the end of a message about a file that is not there: one beside it of nearly the same name, if any."""
    folder, name = os.path.split(path)
    try:
        beside = {entry.name.partition(".")[0]: entry.name for entry in os.scandir(folder or ".") if entry.is_file()}
    except OSError:
        return ""
    # endings are alike: by them every short name would be near
    close = get_close_matches(name.partition(".")[0][:MAX_NAME], beside, 1)
    return f"; did you mean {beside[close[0]]!r}?" if close else ""


def _rows(file: BinaryIO, rows: Iterator[NumberedRow], path: str) -> Generator[NumberedRow]:
    last = 0
    try:
        with file:
            for last, row in rows:
                yield last, row
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"cannot be read: {_os_reason(error)}", where=f"{path}:{last + 1}") from error


def _os_reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
