"""JSON files of rows: lines, or an array that is read item by item, so that memory holds one, however long it is."""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from rewardlab.data import BLOCK, BOM, MAX_BYTES, json_lines, parse_row, too_long
from rewardlab.errors import Problem, UserError

_SIGN = re.compile(rb'["\[\]{},]')
_IN_TEXT = re.compile(rb'\\.|"', re.DOTALL)
_BLANK = b" \t\r\n"


def json_rows(
    file: BinaryIO, path: str, any_text: bool, nan_is_null: bool = False
) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """Yield (number from 1, the row or what is wrong with it) for each item of an array, or each line."""
    yield from (array_items if is_array(file) else json_lines)(file, path, any_text, nan_is_null)


def is_array(file: BinaryIO) -> bool:
    """Return whether a file's first sign is a bracket; the file is then where it was: at its beginning."""
    first = b""
    while not first and (block := file.read(BLOCK)):
        first = block.removeprefix(BOM).strip(_BLANK)[:1]
    file.seek(0)
    return first == b"["


def array_items(
    file: BinaryIO, path: str, any_text: bool, nan_is_null: bool = False
) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """Yield (number from 1, the row or what is wrong with it) for each item of the array in an open file.

    Raises UserError if the array itself ends too early or goes on after its end.
    """
    for number, text in enumerate(_items(file, path), 1):
        place = f"{path}:{number}"
        if len(text) > MAX_BYTES:
            yield number, Problem(where=place, what=too_long("item"))
        elif not text.strip(_BLANK):
            yield number, Problem(where=place, what="there is nothing between two commas; leave one out")
        else:
            yield number, parse_row(text, place, any_text, nan_is_null)


def _items(file: BinaryIO, path: str) -> Iterator[bytes]:
    """Yield the bytes of each item, of one that is too long only the beginning; an empty array has none."""
    reading = _ArrayReading(path)
    while block := file.read(BLOCK):
        yield from reading.add(block)
    yield from reading.end()


class _ArrayReading:
    """The place of a reading in an array: how deep in brackets, whether in a text, and the item that is being read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._depth = 0
        self._in_text = False
        self._rest = b""
        """a backslash at the end of a block, whose other half is in the next"""
        self._item = bytearray()
        self._count = 0
        self._ended = False

    def add(self, block: bytes) -> Iterator[bytes]:
        """Yield the items that end in the next block."""
        block, self._rest = self._rest + block, b""
        kept = at = 0
        while match := (_IN_TEXT if self._in_text else _SIGN).search(block, at):
            at, sign = match.end(), match[0]
            if sign == b'"':
                self._in_text = not self._in_text
            elif sign in (b"[", b"{"):
                self._depth += 1
                if self._depth == 1:
                    kept = at
            elif sign in (b"]", b"}"):
                self._depth -= 1
            ends = self._depth == 0 and sign == b"]"
            if (ends or (self._depth == 1 and sign == b",")) and not self._ended:
                self._keep(block[kept : at - 1])
                kept = at
                if sign == b"," or self._count or self._item.strip(_BLANK):
                    yield self._finished()
                self._ended = ends
            if self._depth < 0:
                self._refuse_more()
        if self._in_text and block.endswith(b"\\") and at < len(block):
            block, self._rest = block[:-1], b"\\"
        self._keep(block[kept:])

    def end(self) -> Iterator[bytes]:
        """Yield the item that the end of the file cut off, if the array never ended."""
        if not self._ended:
            problem = f"the array ends in the middle, after {self._count} whole rows; is the file complete?"
            raise UserError(problem, where=f"{self._path}:{self._count + 1}")
        return iter(())

    def _keep(self, part: bytes) -> None:
        if self._ended:
            if part.strip(_BLANK):
                self._refuse_more()
        elif len(self._item) <= MAX_BYTES:
            self._item += part

    def _finished(self) -> bytes:
        item, self._item = bytes(self._item), bytearray()
        self._count += 1
        return item

    def _refuse_more(self) -> None:
        raise UserError("more follows the end of the array; one array is needed", where=f"{self._path}:{self._count}")
