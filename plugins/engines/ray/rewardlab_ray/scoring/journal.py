"""A journal of small facts that an actor has to know again after Ray has restarted it: a line of JSON each."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError
from rewardlab.files import LineAppender, write_text

Fact = Mapping[str, Any]


class Journal:
    """An append-only file of facts; a torn last line, as a kill leaves it, is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = LineAppender(path)

    @property
    def earlier(self) -> list[dict[str, Any]]:
        """All facts that are there."""
        return [fact for _, fact in self.placed()]

    def placed(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (place, fact) for each fact that is there; there may be a million of them."""
        at = 0
        with self._path.open("rb") as file:
            for line in file:
                yield at, json.loads(line)
                at += len(line)

    def read(self, place: int) -> dict[str, Any]:
        """Return the fact at a place."""
        with self._path.open("rb") as file:
            file.seek(place)
            return dict(json.loads(file.readline()))

    def add(self, fact: Fact) -> int:
        """Append a fact, and return its place. A JobError if the disk refuses."""
        place = self._file.size
        self._file.write(_line(fact).encode())
        return place

    def keep(self, facts: Iterable[Fact]) -> None:
        """Let these be all facts that are there: the others are over. A kill leaves either all or these.

        A JobError if the disk refuses.
        """
        try:
            write_text(self._path, map(_line, facts))
        except OSError as error:
            raise JobError(f"{self._path} cannot be written: {error.strerror}") from error
        self._file.cut(0)  # a file without a name, which would be synced else
        self._file.close()
        self._file = LineAppender(self._path)

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()


def _line(fact: Fact) -> str:
    return f"{json.dumps(fact)}\n"
