"""The file of a run's ledger, line by line."""

import os
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from rewardlab.data import measured_lines, open_packed, read_lines
from rewardlab.errors import Problem
from rewardlab_training import ledger_path

PlacedRow = tuple[str, dict[str, Any] | Problem]


def find_ledger(path: Path) -> "LedgerFile | None":
    """Return the ledger of a run, given by its folder or the file itself; None if there is none.

    A UserError if an earlier version wrote it in shards.
    """
    file = ledger_path(path) if path.is_dir() else path
    return LedgerFile(file) if file.is_file() else None


class LedgerFile:
    """A ledger, or any file of rows. It shows the same lines each time that it is read, or more of them."""

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)
        self._last: dict[str, Any] | Problem | None = None

    def raw_lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield (place, line) for each line, as its bytes."""
        with open_packed(self._path) as file:
            for number, (line, _) in enumerate(measured_lines(file), 1):
                yield f"{self._path}:{number}", line

    def rows(self) -> Generator[PlacedRow]:
        """Yield (place, the row or what is wrong with it) for each line that is not blank.

        A torn line is the last row, and a Problem.
        """
        self._last = None
        with closing(read_lines(self._path, any_text=True)) as lines:
            for number, row in lines:
                self._last = row
                yield f"{self._path}:{number}", row

    def torn(self) -> Problem | None:
        """Return the unfinished line found by the last call of `rows`, which a running or killed run leaves."""
        if not isinstance(self._last, Problem):
            return None
        with open(self._path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return None if file.read() == b"\n" else self._last
