"""Small facts that an actor has to know again after Ray has restarted it: a line of JSON each."""

import json
from pathlib import Path
from typing import Any

from rewardlab.appending import LineAppender


class Journal:
    """An append-only file. `earlier` are the facts that were there when it was opened; a torn last line is none."""

    def __init__(self, path: Path):
        self.earlier: list[dict[str, Any]] = []
        self._path = path
        size = self._read()
        self._file = LineAppender(path)
        if path.stat().st_size > size:
            self._cut(size)

    def add(self, fact: dict[str, Any]) -> None:
        """Append one. A JobError where the disk refuses."""
        self._file.write(f"{json.dumps(fact)}\n".encode())

    def keep(self, count: int) -> None:
        """Only the first `count` of `earlier` stand; the file forgets the others."""
        if count < len(self.earlier):
            self._cut(sum(len(json.dumps(fact)) + 1 for fact in self.earlier[:count]))
            del self.earlier[count:]

    def close(self) -> None:
        """Idempotent."""
        self._file.close()

    def _read(self) -> int:
        """The size of what could be read."""
        size = 0
        if self._path.exists():
            for line in self._path.read_bytes().splitlines(keepends=True):
                if not line.endswith(b"\n"):
                    break
                self.earlier.append(json.loads(line))
                size += len(line)
        return size

    def _cut(self, size: int) -> None:
        self._file.close()
        with self._path.open("r+b") as file:
            file.truncate(size)
        self._file = LineAppender(self._path)
