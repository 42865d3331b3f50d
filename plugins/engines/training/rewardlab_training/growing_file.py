"""A file of lines that is read while it grows: each reading yields what has come since the one before it.

Nothing but the file is asked, by any machine that sees it: it is known by its size and its last bytes.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from rewardlab.data import measured_lines

MARK = 64
"""last bytes of what was read, which stand there still unless the file is another"""
BLOCK = 1 << 20


class ReplacedFile(Exception):
    """The news that a file is not the one that was read before: its ledger has to be read from the beginning."""


class GrowingFile:
    """The whole lines of a file that is appended to; one without an end waits for its rest, however long it gets."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = self._seen = 0
        self._mark: tuple[int, bytes] = 0, b""

    @property
    def torn(self) -> bool:
        """Whether the last reading found the beginning of a line and not its end."""
        return self._seen > self._read

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield (place, line) for each line that is new. Raises ReplacedFile."""
        if not self._seen and not self._path.exists():
            return
        try:
            file = self._path.open("rb")
        except FileNotFoundError as error:
            raise ReplacedFile from error
        with file:
            size = os.fstat(file.fileno()).st_size
            if size < self._read or self._bytes(file, *self._mark) != self._mark[1]:
                raise ReplacedFile
            end = self._end_of_lines(file, size)
            file.seek(self._read)
            for line, length in measured_lines(file) if end > self._read else ():
                place = f"{self._path} at byte {self._read}"
                self._read += length
                yield place, line
                if self._read >= end:
                    break
            at = max(0, self._read - MARK)
            self._mark = at, self._bytes(file, at, b"x" * (self._read - at))

    @staticmethod
    def _bytes(file: BinaryIO, at: int, like: bytes) -> bytes:
        """Return as many bytes from a place on as another text has."""
        file.seek(at)
        return file.read(len(like))

    def _end_of_lines(self, file: BinaryIO, size: int) -> int:
        """Return where the last whole line ends; what was looked at before is not looked at again."""
        at = self._seen if self._seen <= size else self._read  # a resume cuts a torn line off
        end = self._read
        file.seek(at)
        while at < size and (block := file.read(min(BLOCK, size - at))):
            if (newline := block.rfind(b"\n")) >= 0:
                end = at + newline + 1
            at += len(block)
        self._seen = at
        return end
