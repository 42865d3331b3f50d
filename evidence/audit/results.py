"""What is kept of each grader: one JSON file, which says what it was made from."""

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import rewardlab_probe
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
        kept = {"grader": asdict(grader), "key": key_of(grader), "made": _made(), "error": error, "report": report}
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


def _made() -> dict[str, str]:
    """Return with which build of the probe, which Python and on which day this is made."""
    return {"probe": _build(), "python": platform.python_version(), "day": datetime.now(UTC).date().isoformat()}


@cache
def _build() -> str:
    """Return the commit of the probe if it is a checkout, "-dirty" behind it if that was changed; else its version."""
    folder = Path(rewardlab_probe.__file__).parent
    tracked = subprocess.run(["git", "ls-files", "--error-unmatch", "__init__.py"], cwd=folder, capture_output=True)
    if tracked.returncode:
        return version("rewardlab-probe")
    described = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    return subprocess.run(described, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def key_of(grader: Grader) -> str:
    """Return a hash of all that a result depends on, but for the probe."""
    entry = {name: value for name, value in asdict(grader).items() if name not in ("origin", "licence")}
    files = [file.read_bytes() for file in (rows_of(grader), adapter_of(grader)) if file is not None]
    return hashlib.sha256(b"\0".join([json.dumps(entry, sort_keys=True).encode(), *files])).hexdigest()[:16]
