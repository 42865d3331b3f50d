"""Which row has which id, for files of any length.

Kept in a private file in the folder for temporary files, which nobody else sees and which ends with the process:
memory stays the same from a thousand rows to millions.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from rewardlab.errors import JobError

_SCHEMA = (
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA temp_store = FILE",
    # position counts good rows from 0; start and size (bytes) say where the row's scores are in the output
    "CREATE TABLE rows (position INTEGER PRIMARY KEY, line INTEGER, id TEXT UNIQUE, start INTEGER, size INTEGER)",
    "CREATE TABLE prompts (hash TEXT PRIMARY KEY, seen INTEGER) WITHOUT ROWID",
    "BEGIN",
)


class RowIndex:
    """The good rows of a file in order: line number, id, and the place of their scores once they have some.

    Every method raises JobError where the disk does not do what it should.
    """

    def __init__(self) -> None:
        self._count = 0
        self._db = sqlite3.connect("", isolation_level=None)
        for statement in _SCHEMA:
            self._ask(statement)

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Give the space back."""
        self._db.close()

    def add(self, line: int, row_id: str) -> int | None:
        """Append a row; nothing is added where an earlier line, which is returned, has the same id."""
        values = (self._count, line, row_id)
        if self._ask("INSERT OR IGNORE INTO rows (position, line, id) VALUES (?, ?, ?)", values).rowcount:
            self._count += 1
            return None
        return self._one("SELECT line FROM rows WHERE id = ?", (row_id,))[0]

    def occurrence(self, prompt_hash: str) -> int:
        """How often this was asked before for the same prompt."""
        self._ask(
            "INSERT INTO prompts VALUES (?, 0) ON CONFLICT (hash) DO UPDATE SET seen = seen + 1", (prompt_hash,)
        )
        return self._one("SELECT seen FROM prompts WHERE hash = ?", (prompt_hash,))[0]

    def place(self, row_id: str, start: int, size: int) -> int | None:
        """Note where a row's scores are; its position, or None where they were placed before.

        Raises KeyError for an id that no row has.
        """
        row = self._one("SELECT position, start FROM rows WHERE id = ?", (row_id,))
        if row is None:
            raise KeyError(row_id)
        if row[1] is not None:
            return None
        self._ask("UPDATE rows SET start = ?, size = ? WHERE position = ?", (start, size, row[0]))
        return row[0]

    def forget_places(self) -> None:
        """As if no row had scores."""
        self._ask("UPDATE rows SET start = NULL, size = NULL")

    def rows(self) -> Iterator[tuple[int, str, bool]]:
        """(line, id, whether its scores have a place) of each row, in order."""
        return self._each("SELECT line, id, start IS NOT NULL FROM rows ORDER BY position")

    def places(self) -> Iterator[tuple[int, int]]:
        """(start, size) of the scores that have a place, in the order of the rows."""
        return self._each("SELECT start, size FROM rows WHERE start IS NOT NULL ORDER BY position")

    def _one(self, statement: str, values: Sequence[Any]) -> Any:
        try:
            return self._db.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise _failed(error) from error

    def _each(self, statement: str) -> Iterator[Any]:
        try:
            yield from self._db.execute(statement)
        except sqlite3.Error as error:
            raise _failed(error) from error

    def _ask(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as error:
            raise _failed(error) from error


def _failed(error: sqlite3.Error) -> JobError:
    return JobError(
        f"the ids of the rows cannot be kept in the folder for temporary files: {error}; "
        "free space there, or set TMPDIR to another folder"
    )
