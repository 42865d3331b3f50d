"""A journal of small facts that an actor has to know again after Ray has restarted it: a line of JSON each."""

import json
from pathlib import Path
from typing import Any

from rewardlab.training import LineAppender, cut_torn_line


class Journal:
    """An append-only file of facts; `earlier` holds those found when it was opened, without a torn last line."""

    def __init__(self, path: Path):
        self.earlier: list[dict[str, Any]] = []
        self._path = path
        cut_torn_line(path)
        if path.exists():
            self.earlier = [json.loads(line) for line in path.read_bytes().splitlines()]
        self._file = LineAppender(path)

    def add(self, fact: dict[str, Any]) -> None:
        """Append a fact. A JobError where the disk refuses."""
        self._file.write(f"{json.dumps(fact)}\n".encode())

    def keep(self, count: int) -> None:
        """Keep only the first `count` facts of `earlier`, in the file too."""
        if count < len(self.earlier):
            self._cut(sum(len(json.dumps(fact)) + 1 for fact in self.earlier[:count]))
            del self.earlier[count:]

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()

    def _cut(self, size: int) -> None:
        self._file.close()
        with self._path.open("r+b") as file:
            file.truncate(size)
        self._file = LineAppender(self._path)
