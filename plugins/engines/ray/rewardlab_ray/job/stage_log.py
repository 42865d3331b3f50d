"""The log of a stage: all of it goes to a file, what people should read goes to the user, and its end to the caller."""

import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rewardlab import redact
from rewardlab.errors import JobError, UserError
from rewardlab_training import step_line

from rewardlab_ray.job.log_lines import (
    is_bar,
    is_trouble,
    lasting_bar,
    read_mark,
    read_numbers,
    read_outcome,
    read_raised,
    read_scores,
    read_steps,
    read_time,
    says_something,
)
from rewardlab_ray.job.lost_process import LostProcess, RayStartTimeout, StartFailure, is_text_of_loss
from rewardlab_ray.job.outage_lines import OutageLines
from rewardlab_ray.job.repeated_lines import RepeatedLines
from rewardlab_ray.job.stage_board import StageBoard
from rewardlab_ray.user_lines import MARK, plain

LAST_LINES = 30
SIGNALLED = 128
"""a shell's exit code of what was killed is this and the signal's number"""
BAR_EVERY_S = 10.0
TROUBLE_EVERY_S = 300.0
A_YEAR = timedelta(days=365)
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")

TakeNumbers = Callable[[int, Mapping[str, float]], None]


class StageLog:
    """A log that takes the driver's output line by line. Close it, or use it as a context manager."""

    def __init__(
        self,
        path: Path,
        say: Callable[[str], None],
        take_numbers: TakeNumbers | None = None,
        take_scores: TakeNumbers | None = None,
        board: StageBoard | None = None,
        scored: bool = False,
    ) -> None:
        """Open the log; its name is that of the stage.

        Args:
            take_numbers: is called with each step that the engine reports and its numbers.
            take_scores: with each step whose groups are all scored, and the numbers of these.
            board: shows the steps, in place of a line each.
            scored: the numbers of scores come for each step, and a step is told with them.
        """
        self.path, self._board, self._has_scores = path, board, scored
        self._take_numbers, self._take_of_scores = take_numbers, take_scores
        self._numbers_at: int | None = None
        self._say = say
        self._outcome: dict[str, Any] | None = None
        self._steps: int | None = None
        self._scored: dict[int, Mapping[str, float]] = {}
        self._waiting: tuple[int, Mapping[str, float], datetime | None] | None = None
        """a step that the engine has reported, and whose scores are still to come"""
        self._step = 0
        self._first: tuple[int, datetime] | None = None
        """the first step that was reported, and when the engine wrote it: an earlier part of a log comes all at once"""
        self._last: list[str] = []
        self._raised: str | None = None
        self._repeated = RepeatedLines()
        self._outages = OutageLines()
        self._muted_until: dict[str, float] = {}
        self._next_bar = time.monotonic() + BAR_EVERY_S
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace")

    def __enter__(self) -> "StageLog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Tell a step that still waits, and close the file; calling it again does nothing."""
        self._tell_waiting()
        if self._board is not None:
            self._board.close()
        if not self._file.closed:
            self._write_repeated()
        self._file.close()

    def _write_repeated(self) -> None:
        for left_out in self._repeated.summary():
            self._file.write(f"{left_out}\n")

    def take(self, line: str) -> None:
        """Take one line of the driver's output, without its line end; secrets are hidden."""
        line = redact(plain(line))
        if self._repeated.leaves_out(line):
            return
        numbers = read_numbers(line)
        is_step = numbers is not None and not is_bar(line)
        if is_step:  # the weights went to the engines before it
            self._write_repeated()
        self._file.write(f"{line}\n")
        self._file.flush()
        if numbers is not None:
            self._take_step(*numbers, line)
        text = read_mark(line)
        if text is not None and (outcome := read_outcome(text)) is not None:
            self._outcome = outcome
        elif text is not None and (steps := read_steps(text)) is not None:
            self._steps = steps
        elif text is not None and (scores := read_scores(text)) is not None:
            self._take_scores(*scores)
        elif text is not None:
            if (report := self._outages.read(line.partition(MARK)[0], text)) is not None:
                self._tell(report)
        elif is_step:
            return
        elif is_bar(line):
            self._bar(line)
        elif says_something(line):
            self._last = [*self._last, line][-LAST_LINES:]
            self._raised = read_raised(line) or self._raised
            if is_trouble(line):
                self._trouble(line)

    def _take_step(self, step: int, numbers: Mapping[str, float], line: str) -> None:
        """Hand the numbers of a step on and tell it, once.

        Where the nodes of a cluster share their logs, each of them sends the line; a bar that stands where it stood
        says nothing new.
        """
        if step == self._numbers_at:
            return
        self._numbers_at = step
        own = {name: value for name, value in numbers.items() if not name.startswith("reward/")}
        if self._board is not None:
            self._board.show(step, {**_of_rewards(self._scored.get(step, {})), **own}, self._steps)
        if self._take_numbers is not None:
            self._take_numbers(step, numbers)
        if not is_bar(line):
            self._step = step
        elif time.monotonic() < self._next_bar:
            return
        self._tell_waiting()
        self._waiting = step, own, read_time(line)
        if not self._has_scores or step in self._scored:
            self._tell_waiting()

    def _take_scores(self, step: int, numbers: Mapping[str, float]) -> None:
        """Hand the numbers of a step's scores on, once: see `_take_step`."""
        if step in self._scored:
            return
        self._scored[step] = numbers
        if self._take_of_scores is not None:
            self._take_of_scores(step, numbers)
        if self._waiting is not None and self._waiting[0] == step:
            self._tell_waiting()

    def _tell_waiting(self) -> None:
        """Tell the step that waits for its scores, with those that have come."""
        if self._waiting is None:
            return
        (step, numbers, written), self._waiting = self._waiting, None
        if self._board is None:
            known = {**_of_rewards(self._scored.get(step, {})), **numbers}
            self._tell(step_line(self.path.stem, step, self._steps, known, self._seconds(step, written)))

    def _seconds(self, step: int, written: datetime | None) -> float | None:
        """Return how long a step took since the first that was reported; None if that is not known yet."""
        if written is None:
            return None
        if self._first is None:
            self._first = step, written
        first, then = self._first
        took = (written - then) % A_YEAR
        return took.total_seconds() / (step - first) if step > first and took else None

    def _bar(self, line: str) -> None:
        """Show the state of a progress bar that lasts, if nothing else has been printed for a while."""
        if "| 0/" not in line and lasting_bar(line) >= BAR_EVERY_S and time.monotonic() >= self._next_bar:
            self._tell(line)

    def _trouble(self, line: str) -> None:
        """Show a warning, unless the same one was shown a short while ago."""
        kind = _NUMBER.sub("", line)
        if time.monotonic() >= self._muted_until.get(kind, 0.0):
            self._muted_until[kind] = time.monotonic() + TROUBLE_EVERY_S
            self._tell(line)

    def _tell(self, line: str) -> None:
        self._next_bar = time.monotonic() + BAR_EVERY_S
        self._say(line)

    def _cause(self, outcome: dict[str, Any]) -> str:
        """Return what a process raised that the driver could not see; empty if the outcome has the cause itself."""
        if not outcome["in_log"]:
            return ""
        return f": {self._raised}" if self._raised else f"; its log is {self.path}"

    def end(self, stage: str, code: int | None) -> None:
        """Raise what the driver ended with, if it failed; `code` is its exit code (None: unknown)."""
        self._tell_waiting()
        if self._outcome is not None:
            if self._outcome["error"] is not None:
                kind = UserError if self._outcome["code"] == UserError.exit_code else JobError
                kind = StartFailure if self._outcome.get("at_start") else kind
                kind = RayStartTimeout if self._outcome.get("ray_late") else kind
                kind = LostProcess if self._is_lost(self._outcome) else kind
                raise kind(self._outcome["error"] + self._cause(self._outcome))
            if self._steps is not None and 0 < self._step < self._steps:
                self._say(
                    f"stage {stage} trained {self._step} of its {self._steps} steps: groups that do not "
                    "teach use up its prompts; raise `steps` for more"
                )
            return
        how = "without an exit code" if code is None else f"with exit code {code}"
        last = "\n".join(f"  {line}" for line in self._last[-5:])
        kind = LostProcess if code is None or code < 0 or code > SIGNALLED else JobError
        raise kind(f"stage {stage} ended {how}; its log is {self.path}; the last lines:\n{last}")

    def _is_lost(self, outcome: dict[str, Any]) -> bool:
        """Return whether a lost process or node ended the stage; a rank that raised nothing was killed."""
        if outcome["in_log"]:
            return self._raised is None or is_text_of_loss(self._raised)
        return outcome.get("lost", False)


def _of_rewards(numbers: Mapping[str, float]) -> Mapping[str, float]:
    return {name: value for name, value in numbers.items() if name.startswith("reward/")}
