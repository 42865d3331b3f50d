"""An index of the rows of a file by their ids, for files of any length.

It is kept in a private file in the folder for temporary files, which goes with the process, so that memory stays the
same from a thousand rows to millions.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from rewardlab.errors import JobError
from rewardlab.judging.share import WHOLE, Share

_SCHEMA = (
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA temp_store = FILE",
    # position counts good rows from 0; start and size, in bytes, say where the row's scores are in the output
    # among: likewise among the rows of all shards; those of the others only have an id
    "CREATE TABLE rows (position INTEGER PRIMARY KEY, line INT, id TEXT UNIQUE, start INT, size INT, among INT)",
    "CREATE TABLE others (line INT, id TEXT UNIQUE)",
    "CREATE TABLE prompts (hash TEXT PRIMARY KEY, seen INTEGER) WITHOUT ROWID",
    "BEGIN",
)
_PAGE = 500


class RowIndex:
    """The good rows of a file in order: line number, id, and the place of their scores once they have some.

    share: whose rows they are; the other rows are counted in `all_rows`, and only have their ids.

    Every method raises JobError if the temporary file cannot be read or written.
    """

    def __init__(self, share: Share = WHOLE) -> None:
        self._count = self.all_rows = 0
        self._share = share
        self._db = sqlite3.connect("", isolation_level=None)
        for statement in _SCHEMA:
            self._ask(statement)

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Close the index and free its space on the disk."""
        self._db.close()

    def add(self, line: int, row_id: str) -> int | None:
        """Append a row; return None, or the earlier line that has the same id, if nothing is added."""
        changes = self._db.total_changes
        own = self._share.has(row_id)
        if own:
            values = (self._count, line, row_id, self.all_rows)
            self._ask("INSERT OR IGNORE INTO rows (position, line, id, among) VALUES (?, ?, ?, ?)", values)
        else:
            self._ask("INSERT OR IGNORE INTO others VALUES (?, ?)", (line, row_id))
        if self._db.total_changes > changes:
            self._count += own
            self.all_rows += 1
            return None
        table = "rows" if own else "others"
        return int(self._ask(f"SELECT line FROM {table} WHERE id = ?", (row_id,))[0][0])

    def occurrence(self, prompt_hash: str) -> int:
        """Return how often this was called before for the same prompt."""
        values = (prompt_hash,)
        self._ask("INSERT INTO prompts VALUES (?, 0) ON CONFLICT (hash) DO UPDATE SET seen = seen + 1", values)
        return int(self._ask("SELECT seen FROM prompts WHERE hash = ?", values)[0][0])

    def place(self, row_id: str, start: int, size: int) -> int | None:
        """Note where a row's scores are; return its position, or None if they had a place before.

        start, size: in bytes. KeyError for an id that no row has.
        """
        row = self._ask("SELECT position, start FROM rows WHERE id = ?", (row_id,))
        if not row:
            raise KeyError(row_id)
        position, earlier = row[0]
        if earlier is not None:
            return None
        self._ask("UPDATE rows SET start = ?, size = ? WHERE position = ?", (start, size, position))
        return int(position)

    def forget_places(self) -> None:
        """Forget where all scores are, as if no row had any."""
        self._ask("UPDATE rows SET start = NULL, size = NULL")

    def rows(self) -> Iterator[tuple[int, str, bool]]:
        """Return (line, id, whether its scores have a place) of each row, in order."""
        return ((line, row_id, start is not None) for line, row_id, start, *_ in self._each())

    def places(self) -> Iterator[tuple[int, int]]:
        """Return (start, size) of the scores that have a place, in bytes and in the order of the rows."""
        return ((start, size) for _, _, start, size, _ in self._each() if start is not None and size is not None)

    def among_all(self) -> Iterator[tuple[int, str]]:
        """Return (place among the rows of all shards, from 0, id) of each row, in order."""
        return ((place, row_id) for _, row_id, *_, place in self._each())

    def _each(self) -> Iterator[tuple[int, str, int | None, int | None, int]]:
        # by pages: a cursor would outlive an abandoned iterator, and no other thread may close it
        statement = "SELECT line, id, start, size, among FROM rows WHERE position BETWEEN ? AND ? ORDER BY position"
        for first in range(0, self._count, _PAGE):
            yield from self._ask(statement, (first, first + _PAGE - 1))

    def _ask(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise JobError(
                f"the ids of the rows cannot be kept in the folder for temporary files: {error}; "
                "free space there, or set TMPDIR to another folder"
            ) from error
