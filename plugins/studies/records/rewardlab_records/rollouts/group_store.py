"""The members of groups that lie apart in a file, brought together in a private file, so that memory holds one group.

The file is in the folder for temporary files and goes with the process.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from rewardlab.data import MAX_BYTES, too_long
from rewardlab.errors import JobError, Problem

_SCHEMA = (
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA temp_store = FILE",
    "CREATE TABLE groups (number INTEGER PRIMARY KEY, name TEXT UNIQUE)",
    "CREATE TABLE members (number INTEGER PRIMARY KEY, own INT, place TEXT, value TEXT)",
    "BEGIN",
)


def brought_together(
    members: Iterable[tuple[str, str, Any] | Problem],
) -> Iterator[tuple[str, str, list[Any]] | Problem]:
    """Yield (a group's name, the place of its first member, all its members), by the order of the first members.

    Args:
        members: (the group's name, the place, the member as JSON has it), in any order; what is wrong with one
            comes first.
    """
    database = sqlite3.connect("", isolation_level=None)
    try:
        for statement in _SCHEMA:
            database.execute(statement)
        for member in members:
            if isinstance(member, Problem):
                yield member
                continue
            name, place, value = member
            database.execute("INSERT OR IGNORE INTO groups (name) VALUES (?)", (name,))
            add = "INSERT INTO members (own, place, value) SELECT number, ?, ? FROM groups WHERE name = ?"
            database.execute(add, (place, json.dumps(value), name))
        database.execute("CREATE INDEX by_group ON members (own)")
        yield from _groups(database)
    except sqlite3.Error as error:
        problem = f"groups cannot be kept in the folder for temporary files: {error}"
        raise JobError(f"{problem}; free space there, or set TMPDIR to another folder") from error
    finally:
        database.close()


def _groups(database: sqlite3.Connection) -> Iterator[tuple[str, str, list[Any]] | Problem]:
    whole = "SELECT SUM(LENGTH(value)) FROM members WHERE own = ?"
    for number, name in database.execute("SELECT number, name FROM groups ORDER BY number"):
        in_order = "SELECT place, value FROM members WHERE own = ? ORDER BY number"
        first, _ = database.execute(f"{in_order} LIMIT 1", (number,)).fetchone()
        if database.execute(whole, (number,)).fetchone()[0] > MAX_BYTES:
            yield Problem(where=first, what=too_long("group"))
            continue
        yield name, first, [json.loads(value) for _, value in database.execute(in_order, (number,))]
