"""The log of a stage as it comes: all of it to a file, what people read to them, and the outcome at its end."""

import json
from collections.abc import Callable
from pathlib import Path

from rewardlab.backends.openrlhf.marks import OUTCOME, is_noise, read_mark
from rewardlab.errors import JobError, UserError
from rewardlab.redaction import redact

LAST_LINES = 30


class StageLog:
    """Takes the driver's output line by line. Close it, or use it as a context manager."""

    def __init__(self, path: Path, say: Callable[[str], None]):
        self.path = path
        self._say = say
        self._outcome: dict | None = None
        self._last: list[str] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace")

    def __enter__(self) -> "StageLog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Idempotent."""
        self._file.close()

    def take(self, line: str) -> None:
        """One line of the driver's output, without its end; secrets are hidden."""
        line = redact(line.rpartition("\r")[2])
        self._file.write(f"{line}\n")
        self._file.flush()
        ours = read_mark(line)
        if ours is not None and ours.startswith(OUTCOME):
            self._outcome = json.loads(ours[len(OUTCOME) :])
        elif ours is not None:
            self._say(ours)
        elif not is_noise(line):
            self._last = [*self._last, line][-LAST_LINES:]
            self._say(line)

    def end(self, stage: str, code: int | None) -> None:
        """The driver has ended with exit code `code`: raises what it ended with, if that was no good end."""
        if self._outcome is not None:
            if self._outcome["error"] is not None:
                kind = UserError if self._outcome["code"] == UserError.exit_code else JobError
                raise kind(self._outcome["error"])
            return
        how = "without a word" if code is None else f"with exit code {code}"
        last = "\n".join(f"  {line}" for line in self._last[-5:])
        raise JobError(f"stage {stage} ended {how}; its log is {self.path}; the last lines:\n{last}")
