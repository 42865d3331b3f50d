"""A ledger in shards: each process that scores writes one, and an index says what counts of them and where it stands.

For engines with many scorers. What a shard holds of a group does not pass through the process that keeps the order.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from itertools import count
from pathlib import Path
from typing import Any

from rewardlab import ScoredGroup
from rewardlab.data import (
    INDEX_ENDING,
    LEDGER_FOLDER,
    LEDGER_VERSION,
    ledger_indices,
    read_lines,
    shard_beginning,
)
from rewardlab.errors import JobError
from rewardlab.files import LineAppender
from rewardlab_training import Phase, ledger_rows


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerSpan:
    """Where a group stands: `bytes` bytes of the shard with this name, from byte `at` on, a line for each of `size`."""

    shard: str
    at: int
    bytes: int
    size: int


class LedgerShard:
    """A shard of a stage's ledger, `ledger/ATTEMPT-STAGE-WRITER-n.jsonl` in the run's folder.

    n counts the processes that were this writer: each makes a file of its own, so that no two ever write one file, even
    where a lost node comes back. The file is made by the first `write`.
    """

    def __init__(self, run: Path, attempt: int, stage: int, writer: int) -> None:
        self._folder = run / LEDGER_FOLDER
        self._name = f"{attempt}-{stage}-{writer}"
        self._path: Path | None = None
        self._file: LineAppender
        self._size = 0

    def write(self, key: str, scored: ScoredGroup, sync: bool = False) -> LedgerSpan:
        """Append a group, and return where it stands once its lines are there. A JobError if the disk refuses.

        sync: wait until other machines can read it, too.
        """
        path = self._open()
        rows = (json.dumps(row, allow_nan=False) for row in ledger_rows(scored))
        lines = [shard_beginning(key, index) + row[1:] for index, row in enumerate(rows)]
        block = "".join(f"{line}\n" for line in lines).encode()
        self._file.write(block)
        if sync:
            self._file.sync()
        span = LedgerSpan(shard=path.name, at=self._size, bytes=len(block), size=len(lines))
        self._size += len(block)
        return span

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        if self._path is not None:
            self._file.close()

    def _open(self) -> Path:
        if self._path is None:
            try:
                self._path = self._make()
            except OSError as error:
                raise JobError(f"{self._folder} cannot be written: {error.strerror}") from error
            self._file = LineAppender(self._path)
        return self._path

    def _make(self) -> Path:
        """Make the first file of this writer that nobody has made."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for number in count():
            path = self._folder / f"{self._name}-{number}.jsonl"
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
                return path
            except FileExistsError:
                continue
        raise AssertionError("unreachable")


class LedgerIndex:
    """The index of a stage's shards, `ledger/ATTEMPT-STAGE.index.jsonl`: a group counts once its entry is there.

    Numbers of groups go on through an attempt, even if its next stage, or a restart after a crash, opens an index. One
    writer at a time.
    """

    def __init__(self, run: Path, attempt: int, stage: int) -> None:
        """Open the index, and make it if it is missing. A JobError if that cannot be."""
        self.folder = run / LEDGER_FOLDER
        self._common = {"version": LEDGER_VERSION, "attempt": attempt, "stage": stage}
        self._path = self.folder / f"{attempt}-{stage}{INDEX_ENDING}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = LineAppender(self._path)
        except OSError as error:
            raise JobError(f"{self._path} cannot be written: {error.strerror}") from error
        self._stands = {row["key"]: _where(row) for row in _rows(self._path)}  # texts: there may be a million of them
        of_attempt = [one for one in ledger_indices(self.folder) if one.name.startswith(f"{attempt}-")]
        numbers = (row["group"] for one in of_attempt for row in _rows(one) if "group" in row)
        self._groups = 1 + max(numbers, default=-1)

    def __contains__(self, key: str) -> bool:
        return key in self._stands

    def earlier(self) -> Iterator[tuple[LedgerSpan, dict[str, Any]]]:
        """Yield the span and the note of each group that is there, in the order in which they were added."""
        spans = {row["key"]: LedgerSpan(**{name: row[name] for name in _SPAN}) for row in _rows(self._path)}
        for row in _rows(self._path):
            if "group" in row:
                yield spans[row["key"]], row["note"]

    def add(
        self,
        key: str,
        span: LedgerSpan,
        *,
        step: int | None,
        trained: str,
        phase: Phase = "training",
        place: int | None = None,
        note: Mapping[str, Any] | None = None,
    ) -> None:
        """Append an entry. A JobError if the disk refuses.

        step, trained, phase: as in `Ledger.write`. place: in the order of the step; None if it is not known. note:
        JSON values of the engine's own, for whoever opens the index again.
        """
        group = self._common | {"step": step, "group": self._groups, "trained": trained, "phase": phase}
        self._write(group | {"key": key, "place": place, **asdict(span), "note": dict(note or {})})
        self._groups += 1

    def move(self, key: str, span: LedgerSpan) -> None:
        """Say that a group that is there was written again, elsewhere, and that this counts; the same span is not news.

        A process that died after its group was recorded has a successor that scores the group anew.
        """
        entry = {"key": key, **asdict(span)}
        if self._stands[key] != _where(entry):
            self._write(entry)

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(f"{json.dumps(entry, allow_nan=False)}\n".encode())
        self._stands[entry["key"]] = _where(entry)


_SPAN = tuple(field.name for field in fields(LedgerSpan))


def _where(entry: Mapping[str, Any]) -> str:
    return f"{entry['shard']}:{entry['at']}"


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    return (row for _, row in read_lines(path, any_text=True) if isinstance(row, dict))


def read_span(folder: Path, key: str, span: LedgerSpan) -> list[dict[str, Any]]:
    """Return the rows of one group, as its shard has them. A JobError if they are not there."""
    try:
        with open(folder / span.shard, "rb") as file:
            file.seek(span.at)
            lines = file.read(span.bytes).splitlines()
        rows = [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise JobError(f"{folder / span.shard} cannot be read at byte {span.at}: {error}") from error
    if [row.get("key") for row in rows] != [key] * span.size:
        raise JobError(f"{folder / span.shard} has not the group {key} at byte {span.at}; do all nodes see one folder?")
    return rows
