"""A journal of small facts that an actor has to know again after Ray has restarted it: a line of JSON each."""

import json
from pathlib import Path
from typing import Any

from rewardlab.files import LineAppender


class Journal:
    """An append-only file of facts; `earlier` holds those found when it was opened, without a torn last line."""

    def __init__(self, path: Path) -> None:
        self._file = LineAppender(path)
        self.earlier: list[dict[str, Any]] = [json.loads(line) for line in path.read_bytes().splitlines()]

    def add(self, fact: dict[str, Any]) -> None:
        """Append a fact. A JobError if the disk refuses."""
        self._file.write(f"{json.dumps(fact)}\n".encode())

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()
