"""The lines of a run's ledger, wherever they stand: in one file, or in shards that indices join."""

import json
import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

from rewardlab.data import (
    LEDGER_BEGINNING,
    LEDGER_FOLDER,
    ledger_indices,
    measured_lines,
    open_packed,
    parse_row,
    read_lines,
    shard_beginning,
)
from rewardlab.errors import Problem, UserError
from rewardlab.text import counted

LEDGER_FILE = "ledger.jsonl"
_INDEX = LEDGER_BEGINNING.index("index")
GROUP_KEYS, USE_KEYS = LEDGER_BEGINNING[:_INDEX], LEDGER_BEGINNING[_INDEX + 1 :]
"""the keys of a group, before and behind the index of a completion in it"""
MAX_OPEN = 64
"""shards that are open at once while they are read"""

PlacedRow = tuple[str, dict[str, Any] | Problem]


class LedgerPart(Protocol):
    """A part of a ledger, which can be read several times and shows the same lines each time, or more of them."""

    def raw_lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield (place, line) for each line, as its bytes."""

    def rows(self) -> Generator[PlacedRow]:
        """Yield (place, the row or what is wrong with it) for each line that is not blank."""

    def torn(self) -> Problem | None:
        """Return the unfinished part found by the last call of `rows`, which a running or killed run leaves."""


def ledger_parts(path: Path) -> list[LedgerPart]:
    """Return the parts of a ledger in their order; [] if there is no ledger.

    Args:
        path: a run's folder, its folder `ledger`, or one file. A run that went on with shards after one file has
            both.
    """
    if not path.is_dir():
        return [LedgerFile(path)] if path.is_file() else []
    folder = path / LEDGER_FOLDER if (path / LEDGER_FOLDER).is_dir() else path
    single = path / LEDGER_FILE
    files: list[LedgerPart] = [LedgerFile(single)] if single.is_file() else []
    return [*files, *(LedgerShards(index) for index in ledger_indices(folder))]


class LedgerFile:
    """A ledger, or any file of rows, in one file."""

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)
        self._last: dict[str, Any] | Problem | None = None

    def raw_lines(self) -> Iterator[tuple[str, bytes]]:
        """See LedgerPart."""
        with open_packed(self._path) as file:
            for number, (line, _) in enumerate(measured_lines(file), 1):
                yield f"{self._path}:{number}", line

    def rows(self) -> Generator[PlacedRow]:
        """See LedgerPart; a torn line is the last row, and a Problem."""
        self._last = None
        with closing(read_lines(self._path, any_text=True)) as lines:
            for number, row in lines:
                self._last = row
                yield f"{self._path}:{number}", row

    def torn(self) -> Problem | None:
        """See LedgerPart."""
        if not isinstance(self._last, Problem):
            return None
        with open(self._path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return None if file.read() == b"\n" else self._last


class IndexEntry(NamedTuple):
    """A group as an index has it: how its lines begin, and where the rest of them stands."""

    order: tuple[int, int, int] | None
    """step, 1 for an evaluation, place (0 if it is not known); None if the engine hides the step"""
    begins: str
    """GROUP_KEYS as JSON without its last bracket"""
    use: str
    """USE_KEYS as JSON without its brackets"""
    key: str
    shard: str
    at: int
    bytes: int
    size: int


class LedgerShards:
    """The shards of one stage and attempt, joined by their index as it was when this was made.

    Each group of the index is shown once, where its last entry says that it stands. The order is that of steps, an
    evaluation after its step, and of places in them; what is not known stands in the order of the index. A line that
    is in no entry does not count, nor does a group whose shard has not all of its bytes.
    """

    def __init__(self, index: Path) -> None:
        self._index = index
        self._bad: list[PlacedRow] = []
        entries: dict[str, IndexEntry] = {}
        lines = LedgerFile(index)
        for place, row in lines.rows():
            if isinstance(row, Mapping):
                entry = entry_of(row, entries.get(row.get("key", "")), index)
                entries[entry.key] = entry
            else:
                self._bad.append((place, row))
        if lines.torn() is not None:
            self._bad.pop()  # of a group that was not recorded yet
        self._entries = list(entries.values())
        if all(entry.order is not None for entry in self._entries):
            self._entries.sort(key=lambda entry: entry.order or (0, 0, 0))
        self._missing: list[str] = []

    def raw_lines(self) -> Iterator[tuple[str, bytes]]:
        """See LedgerPart."""
        self._missing = []
        with OpenShards(self._index.parent) as shards:
            for entry in self._entries:
                place = f"{self._index.parent / entry.shard} at byte {entry.at}"
                lines = joined_lines(entry, shards.read(entry))
                if lines is None:
                    self._missing.append(place)
                for number, line in enumerate(lines or ()):
                    yield f"{place}, line {number + 1}", line

    def rows(self) -> Generator[PlacedRow]:
        """See LedgerPart; lines of the index that nobody can read come first."""
        yield from self._bad
        for place, line in self.raw_lines():
            yield place, parse_row(line, place, any_text=True)

    def torn(self) -> Problem | None:
        """See LedgerPart. The place of the first group with missing bytes, and how many `rows` are left out."""
        if not self._missing:
            return None
        others = len(self._missing) - 1
        more = f" (and {counted(others, 'other group')})" if others else ""
        return Problem(where=f"{self._missing[0]}{more}", what="is cut off")


def entry_of(row: Mapping[str, Any], earlier: IndexEntry | None, index: Path) -> IndexEntry:
    """Return a line of an index as an entry; one of a group that is there says that it stands elsewhere.

    Raises UserError if the line lacks a key, since every run writes all keys.
    """
    try:
        span = {name: row[name] for name in ("shard", "at", "bytes", "size")}
        if earlier is not None:
            return earlier._replace(**span)
        step, evaluation = row["step"], int(row["phase"] != "training")
        return IndexEntry(
            order=None if step is None else (step, evaluation, row["place"] or 0),
            begins=json.dumps({key: row[key] for key in GROUP_KEYS})[:-1],
            use=json.dumps({key: row[key] for key in USE_KEYS})[1:-1],
            key=row["key"],
            **span,
        )
    except KeyError as error:
        raise UserError(f"a line has no {error.args[0]}; a run writes no such line", where=str(index)) from error


def joined_lines(entry: IndexEntry, block: bytes) -> list[bytes] | None:
    """Return the group's lines as one file would have them; None if the block has not all of them."""
    lines = block.split(b"\n")
    if len(lines) != entry.size + 1 or lines.pop():
        return None
    joined = []
    for index, line in enumerate(lines):
        beginning = shard_beginning(entry.key, index).encode()
        if not line.startswith(beginning):
            return None
        head = f'{entry.begins}, "index": {index}, {entry.use}, '
        joined.append(head.encode() + line.removeprefix(beginning) + b"\n")
    return joined


class OpenShards:
    """The shards of a folder, opened when they are first read; no more than MAX_OPEN at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}
        self._closing = ExitStack()

    def __enter__(self) -> "OpenShards":
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def read(self, entry: IndexEntry) -> bytes:
        """Return what the shard has of the entry's bytes; b"" if there is no such shard."""
        if entry.shard not in self._files:
            if len(self._files) >= MAX_OPEN:
                self._closing.close()
                self._files.clear()
            path = self._folder / Path(entry.shard).name  # no other folder, whatever an index says
            if not path.is_file():
                return b""
            self._files[entry.shard] = self._closing.enter_context(path.open("rb"))
        file = self._files[entry.shard]
        file.seek(entry.at)
        return file.read(entry.bytes)
