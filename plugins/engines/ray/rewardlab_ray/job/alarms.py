"""The watch over a stage's numbers, read from the lines of its log, here where the job was started.

A step comes in two parts: the numbers of its scores, from whoever keeps the order of groups, and the engine's, of the
update, often after the scores of later steps. What an engine makes of the scores again is left alone.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from rewardlab.errors import JobError
from rewardlab.plan import Plan
from rewardlab_training import AlarmWatch, RunDirectory

from rewardlab_ray.job.log_lines import read_mark, read_numbers, read_scores
from rewardlab_ray.stage_task import TrainingStage

STEP = "Global step "


class StopAtAlarm:
    """Takes the numbers of each step; if they end the stage, sets `stop` and keeps the error for `check`.

    The job is somebody else's to stop: a process here, or a job of a cluster.
    """

    def __init__(self, plan: Plan, directory: RunDirectory, index: int, log: Path, say: Callable[[str], None]) -> None:
        self._watch: AlarmWatch | None = None
        if isinstance(plan.recipe.stages[index], TrainingStage):  # else it has no steps
            self._watch = AlarmWatch(plan, directory.path, index, directory.attempt, say, logged_steps(log))
        self._stop: threading.Event = directory.stop
        self._error: JobError | None = None

    def take(self, step: int, numbers: Mapping[str, float]) -> None:
        """Take the numbers that the engine has of a step."""
        self.take_scores(step, of_update(numbers))

    def take_scores(self, step: int, numbers: Mapping[str, float]) -> None:
        """Take the numbers of a step; those that still come from a job that is being stopped are left alone."""
        if self._watch is not None and self._error is None:
            try:
                self._watch.take(step, numbers)
            except JobError as error:
                self._error = error
                self._stop.set()

    def check(self) -> None:
        """Raise what has ended the stage, if anything has."""
        if self._error is not None:
            raise self._error


def logged_steps(log: Path) -> Iterator[tuple[int, Mapping[str, float]]]:
    """Yield (step, numbers) of the steps of rl that earlier attempts have left in a log, in parts."""
    if log.exists():
        with log.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if STEP in line and (logged := read_numbers(line)) is not None:
                    yield logged[0], of_update(logged[1])
                elif (text := read_mark(line)) is not None and (logged := read_scores(text)) is not None:
                    yield logged


def of_update(numbers: Mapping[str, float]) -> Mapping[str, float]:
    """Return the numbers that only the engine knows."""
    return {name: value for name, value in numbers.items() if "/" not in name}
