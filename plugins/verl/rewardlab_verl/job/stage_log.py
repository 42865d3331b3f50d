"""The log of a stage: all that the driver prints goes to a file, lines for people to the user, its end on."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from rewardlab import redact
from rewardlab.errors import JobError, UserError
from rewardlab_ray.user_lines import MARK

from rewardlab_verl.job.driver import OUTCOME

LAST_LINES = 5


class VerlLog:
    """The driver's output: all of it goes to a file, the lines for people to `say`. Use it as a context manager."""

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self.path = path
        self._say = say
        self._outcome: Mapping[str, object] | None = None
        self._last: list[str] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace")

    def __enter__(self) -> "VerlLog":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def take(self, line: str) -> None:
        """Take one line, without its line end; secrets are hidden."""
        line = redact(line.rpartition("\r")[2])
        self._file.write(f"{line}\n")
        self._file.flush()
        _, found, text = line.partition(MARK)
        if found and text.startswith(OUTCOME):
            self._outcome = json.loads(text.removeprefix(OUTCOME))
        elif found:
            self._say(text)
        elif line.strip():
            self._last = [*self._last, line][-LAST_LINES:]

    def end(self, stage: str, code: int) -> None:
        """Raise what the driver ended with, if it failed; `code` is its exit code."""
        if self._outcome is None:
            last = "\n".join(f"  {line}" for line in self._last)
            raise JobError(
                f"stage {stage} ended with exit code {code}; its log is {self.path}; the last lines:\n{last}"
            )
        if (error := self._outcome["error"]) is not None:
            kind = UserError if self._outcome["code"] == UserError.exit_code else JobError
            raise kind(str(error))
