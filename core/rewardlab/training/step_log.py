"""The log of a training stage's steps, a bar of how far it is, and the alarms that look at the numbers."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from rewardlab.data import read_lines
from rewardlab.files import LineAppender
from rewardlab.text import Progress
from rewardlab.training.alarm_watch import AlarmWatch
from rewardlab.training.alarms import TOTAL
from rewardlab.training.series import finite
from rewardlab.training.stage import StageJob

NOT_SHOWN = ("reward/groups_without_variance",)


class StepLog:
    """A log of the numbers of every logged step: logs/STAGE.jsonl, a line of JSON each, null if there is no value.

    steps: of the whole stage. Use it in `with`, or close it.
    """

    def __init__(self, job: StageJob, steps: int) -> None:
        self._name, self._attempt, self._steps = job.name, job.run.attempt, steps
        path = job.run.folder("logs") / f"{job.name}.jsonl"
        self._watch = AlarmWatch(job.plan, job.run.path, job.index, self._attempt, job.say, _logged(path))
        self._file = LineAppender(path)
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the bar and the file; calling it again does nothing."""
        if self._progress is not None:
            self._progress.close()
        self._file.close()

    def begin(self, step: int) -> None:
        """Show a bar of the stage's steps, `step` of which are done."""
        self._progress = Progress(self._name, self._steps, unit="step", initial=step, delay_s=0)

    def move_to(self, step: int) -> None:
        """Show that this many steps are done, of a step that has no numbers."""
        if self._progress is not None:
            self._progress.move_to(step)

    def write(self, step: int, numbers: Mapping[str, Any], **more: Any) -> None:
        """Write the numbers of a step that is done, and show them. Raises JobError if an alarm ends the stage.

        more: JSON values for the line alone.
        """
        known = {name: finite(value) for name, value in numbers.items()}
        line = {"attempt": self._attempt, "step": step, **known, **more}
        self._file.write(f"{json.dumps(line)}\n".encode())
        if self._progress is not None:
            self._progress.note(_shown(known))
            self._progress.move_to(step)
        self._watch.take(step, numbers)


def _logged(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (step, numbers) of all that earlier attempts at a stage have logged."""
    for _, row in read_lines(path) if path.exists() else ():
        if isinstance(row, Mapping) and isinstance(row.get("step"), int):
            yield row["step"], row


def _shown(numbers: Mapping[str, float | None]) -> dict[str, float]:
    """Return the numbers that are shown beside the progress: the total, the parts of the reward, the loss."""
    parts = [name for name in numbers if name.startswith("reward/") and name not in (TOTAL, *NOT_SHOWN)]
    names = [TOTAL, *parts, "loss"]
    return {name.removeprefix("reward/"): value for name in names if (value := numbers.get(name)) is not None}
