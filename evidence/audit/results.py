"""What is kept of each grader: one JSON file, which says what it was made from."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rewardlab.files import write_json

from audit.entries import adapter_of, rows_of
from audit.grader import Grader

Result = Mapping[str, Any]


class Results:
    """The results in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, grader: Grader, *, report: Mapping[str, Any] | None = None, error: str = "") -> None:
        """Keep the report on a grader, or why there is none."""
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = {"grader": asdict(grader), "key": key_of(grader), "error": error, "report": report}
        write_json(self._file(grader), kept)

    def of(self, grader: Grader) -> Result | None:
        """Return what is kept of a grader; None if it is of another entry, other rows or another adapter."""
        try:
            kept: Result = json.loads(self._file(grader).read_text())
        except (OSError, ValueError):
            return None
        return kept if kept.get("key") == key_of(grader) else None

    def every(self, graders: Sequence[Grader]) -> Iterator[tuple[Grader, Result]]:
        """Yield each grader of which something is kept."""
        for grader in graders:
            if (kept := self.of(grader)) is not None:
                yield grader, kept

    def _file(self, grader: Grader) -> Path:
        return self.folder / f"{grader.name.replace('/', '__')}.json"


def key_of(grader: Grader) -> str:
    """Return a hash of all that a result depends on, but for the probe."""
    files = [file.read_bytes() for file in (rows_of(grader), adapter_of(grader)) if file is not None]
    return hashlib.sha256(b"\0".join([json.dumps(asdict(grader), sort_keys=True).encode(), *files])).hexdigest()[:16]
