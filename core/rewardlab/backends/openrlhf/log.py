"""The log of a stage as it comes: all of it to a file, to the user what says something, and how it ended."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from rewardlab.backends.openrlhf.marks import OUTCOME, is_bar, is_trouble, plain, read_mark, read_step
from rewardlab.errors import JobError, UserError
from rewardlab.redaction import redact

LAST_LINES = 30
BAR_EVERY_S = 10.0


class StageLog:
    """Takes the driver's output line by line. Close it, or use it as a context manager."""

    def __init__(self, path: Path, say: Callable[[str], None]):
        self.path = path
        self._say = say
        self._outcome: dict | None = None
        self._last: list[str] = []
        self._next_bar = 0.0
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
        line = redact(plain(line))
        self._file.write(f"{line}\n")
        self._file.flush()
        ours = read_mark(line)
        if ours is not None and ours.startswith(OUTCOME):
            self._outcome = json.loads(ours[len(OUTCOME) :])
        elif ours is not None:
            self._say(ours)
        elif (step := read_step(line)) is not None:
            self._say(step)
        elif is_bar(line):
            self._bar(line)
        elif line.strip():
            self._last = [*self._last, line][-LAST_LINES:]
            if is_trouble(line):
                self._say(line)

    def _bar(self, line: str) -> None:
        """Show where a progress bar is, now and then."""
        if time.monotonic() >= self._next_bar:
            self._next_bar = time.monotonic() + BAR_EVERY_S
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
