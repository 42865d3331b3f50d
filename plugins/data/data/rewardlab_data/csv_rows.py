"""CSV: rows of texts under a head with the columns' names.

A cell is a text, an empty one no value. A cell that begins like a JSON list of texts or objects, or like an object
(`["`, `[{`, `{"`), and is JSON as a whole, is that list or object: completions, or a prompt of several messages.
Nothing else is guessed: 007, 1e5 and [0, 1] stay unchanged.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from rewardlab.data import BLOCK, BOM, DECODER, MAX_BYTES, bounded_lines, shown_name, too_long
from rewardlab.errors import Problem, UserError

SEPARATORS = ";\t|,"
"""of columns in files that are called CSV; a spreadsheet in much of Europe writes the first"""
_JSON = re.compile(r'\s*(?:\[\s*[{"]|\{\s*")')


class _TooLong(ValueError):
    pass


def csv_rows(file: BinaryIO, path: str, *_: bool, **__: bool) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """Yield (the line in which the row begins, the row or what is wrong with it) for each row that is not blank.

    A comma separates columns, in a .tsv a tab, unless the head has one column by it and several by another of
    SEPARATORS. Raises UserError if the head is missing or names no columns, or a column twice.
    """
    delimiter = "\t" if path.lower().removesuffix(".gz").endswith(".tsv") else ","
    # the library's own limit on a cell is 128 KiB, and the same for the whole process; ours is on the row
    csv.field_size_limit(max(csv.field_size_limit(), MAX_BYTES))
    lines = _Lines(file)
    rows = csv.reader(lines, delimiter=_separator(file, delimiter), strict=True)
    head: Sequence[str] | None = None
    while True:
        number = lines.begin_row()
        place = f"{path}:{number}"
        try:
            cells = next(rows)
        except StopIteration:
            return
        except _TooLong:
            raise UserError(f"{too_long('row')} A quote that nothing closes reads on to the end", place) from None
        except csv.Error as error:
            yield number, Problem(where=place, what=_syntax(error))
            continue
        if not any(cells):
            continue
        if head is None:
            head = _head(cells, place)
        else:
            yield number, _row(head, cells, place)


def _separator(file: BinaryIO, usual: str) -> str:
    """Return what separates the columns of the head: the usual sign, or another one if that separates nothing."""
    head = b""
    while not head.strip() and (line := file.readline(BLOCK)):
        head = line.removeprefix(BOM)
    file.seek(0)
    text = [head.decode("utf-8", "replace")]
    with suppress(csv.Error):
        counts = {sign: len(next(csv.reader(text, delimiter=sign), [])) for sign in (usual, *SEPARATORS)}
        return usual if counts[usual] > 1 else max(counts, key=counts.__getitem__)
    return usual


class _Lines:
    """The lines of a file as texts, for a reader of rows that may go over several of them."""

    def __init__(self, file: BinaryIO) -> None:
        self._lines = bounded_lines(file)
        self._read = 0
        self._size = 0

    def begin_row(self) -> int:
        """Return the number of the line in which the next row begins."""
        self._size = 0
        return self._read + 1

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._read += 1
        self._size += len(line)
        if self._size > MAX_BYTES:
            raise _TooLong
        if self._read == 1:
            line = line.removeprefix(BOM)
        return line.decode("utf-8", "surrogateescape")  # a row that is not UTF-8 is reported when it is complete


def _head(cells: Sequence[str], place: str) -> Sequence[str]:
    names = [name.strip() for name in cells]
    _refuse_other_bytes(names, place)
    if "" in names:
        raise UserError(f"column {names.index('') + 1} of the head has no name", where=place)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise UserError(f"the head names the column {shown_name(twice[0])} twice", where=place)
    return names


def _refuse_other_bytes(names: Sequence[str], place: str) -> None:
    try:
        "".join(names).encode()
    except UnicodeEncodeError as error:
        raise UserError("the head is not UTF-8; save the file as UTF-8", where=place) from error


def _row(head: Sequence[str], cells: Sequence[str], place: str) -> dict[str, Any] | Problem:
    if len(cells) != len(head):
        problem = f"{len(cells)} cells, but the head has {len(head)}; quote a cell that holds a separator or a new line"
        return Problem(where=place, what=problem)
    try:
        return {name: _value(cell) for name, cell in zip(head, cells, strict=True) if cell}
    except UnicodeEncodeError as error:
        byte = ord(error.object[error.start]) - 0xDC00
        return Problem(where=place, what=f"not UTF-8: byte 0x{byte:02x}; save the file as UTF-8")


def _value(cell: str) -> Any:
    if not cell.isascii():
        cell.encode()  # raises if bytes are not UTF-8
    if _JSON.match(cell):
        try:
            return DECODER.decode(cell)
        except (ValueError, RecursionError):  # a text that only begins like JSON
            return cell
    return cell


def _syntax(error: csv.Error) -> str:
    if "unexpected end of data" in str(error):
        return "a quote is opened here and nothing closes it"
    if "expected after" in str(error):
        return "more follows the quote that ends a cell; a quote within quotes is written twice"
    return f"not CSV: {error}"
