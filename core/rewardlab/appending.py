"""A file to which whole lines are appended, and nothing else."""

import os
from contextlib import suppress
from pathlib import Path

from rewardlab.errors import JobError


class LineAppender:
    """Appends lines. What was written stays: a line that does not fit is taken back and the rest is whole."""

    def __init__(self, path: Path):
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._size = os.fstat(self._file).st_size

    def write(self, line: bytes) -> None:
        """Append one line. A JobError where the disk has no room for it."""
        rest = memoryview(line)
        try:
            while rest:  # a full disk takes a part before it refuses
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with suppress(OSError):  # what cannot be taken back is a torn line, which --resume cuts off
                os.ftruncate(self._file, self._size)
            raise JobError(f"{self._path} cannot be written: {error.strerror}") from error
        self._size += len(line)

    def close(self) -> None:
        """Make sure that all of it is on the disk; idempotent."""
        if self._file >= 0:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1
