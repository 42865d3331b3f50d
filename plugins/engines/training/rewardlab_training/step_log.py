"""The log of a training stage's steps, the board that shows them, and the alarms that look at the numbers."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from rewardlab.data import read_lines
from rewardlab.files import LineAppender

from rewardlab_training.alarms.alarm_watch import AlarmWatch
from rewardlab_training.alarms.series import finite
from rewardlab_training.stage import StageJob
from rewardlab_training.step_board import StepBoard


class StepLog:
    """A log of the numbers of every logged step: logs/STAGE.jsonl, a line of JSON each, null if there is no value.

    Args:
        steps: of the whole stage. Use it in `with`, or close it.
    """

    def __init__(self, job: StageJob, steps: int) -> None:
        self._name, self._attempt, self._steps = job.name, job.run.attempt, steps
        path = job.run.folder("logs") / f"{job.name}.jsonl"
        self._path, self._say = path, job.say
        self._watch = AlarmWatch(job.plan, job.run.path, job.index, self._attempt, self._warn, _logged(path))
        self._file = LineAppender(path)
        self._board: StepBoard | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the board and the file; calling it again does nothing."""
        if self._board is not None:
            self._board.close()
        self._file.close()

    def begin(self, step: int) -> None:
        """Show how far the stage is, `step` of whose steps are done."""
        self._board = StepBoard(self._name, self._steps, initial=step)
        for earlier, numbers in _logged(self._path):
            self._board.note_step(earlier, numbers)

    def move_to(self, step: int) -> None:
        """Show that this many steps are done, of a step that has no numbers."""
        if self._board is not None:
            self._board.move_to(step)

    def write(self, step: int, numbers: Mapping[str, Any], **more: Any) -> None:
        """Write the numbers of a step that is done, and show them. Raises JobError if an alarm ends the stage.

        Args:
            more: JSON values for the line alone.
        """
        known = {name: finite(value) for name, value in numbers.items()}
        line = {"attempt": self._attempt, "step": step, **known, **more}
        self._file.write(f"{json.dumps(line)}\n".encode())
        if self._board is not None:
            self._board.note_step(step, known)
            self._board.move_to(step)
        self._watch.take(step, numbers)

    def _warn(self, line: str) -> None:
        self._say(line)
        if self._board is not None:
            self._board.warn(line.removeprefix("warning: "))


def _logged(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (step, numbers) of all that earlier attempts at a stage have logged."""
    for _, row in read_lines(path) if path.exists() else ():
        if isinstance(row, Mapping) and isinstance(row.get("step"), int):
            yield row["step"], row
