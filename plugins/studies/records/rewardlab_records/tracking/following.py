"""A running stage, told to trackers by a thread that reads its records as they are written."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rewardlab.errors import JobError, UserError, one_line
from rewardlab.recipe import RESOLVED
from rewardlab_training import TRACKERS, StageJob, TrackerOptions, run_name

from rewardlab_records.tracking.stage_records import StageRecords
from rewardlab_records.tracking.trackers import MLflow, TensorBoard, Tracker, Trackio, Wandb

KINDS: dict[str, Callable[..., Tracker]] = {
    "tensorboard": TensorBoard,
    "wandb": Wandb,
    "mlflow": MLflow,
    "trackio": Trackio,
}
READ_S = 2.0
"""seconds between two looks at the records"""
MAX_END_S = 60.0
"""seconds that a stage waits at its end for a tracker that hangs"""


@contextmanager
def tracked_stage(job: StageJob) -> Iterator[None]:
    """Tell the trackers that the recipe asks for what the stage writes, until the block ends.

    Raises UserError if the first stage of a run cannot open a tracker; later a tracker that fails is warned of and left
    out, and no tracker ends the run.
    """
    assert job.plan.backend is not None
    options: Any = job.plan.backend.options
    following = _Following(job, options)
    try:
        yield
        following.done = True
    finally:
        following.end()


class _Following:
    """The thread that tells. Nothing but it touches a tracker once it has begun."""

    def __init__(self, job: StageJob, options: TrackerOptions) -> None:
        self._job, self._count = job, options.tracked_samples
        self._records = StageRecords(job.run.path, job.name, job.run.attempt)
        self._trackers: dict[str, Tracker] = {}
        try:
            for name in options.asked():
                if tracker := self._opened(name, options):
                    self._trackers[name] = tracker
        except BaseException:
            self._each("close", False)
            raise
        self.done = False
        """whether the stage came to its end"""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="rewardlab-trackers", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Tell what is left and end the trackers' runs; one that hangs is left behind."""
        self._ended.set()
        self._thread.join(MAX_END_S)
        if self._thread.is_alive():
            self._warn(
                ", ".join(TRACKERS[name] for name in self._trackers), "does not answer, and lacks the end of this stage"
            )

    def _opened(self, name: str, options: TrackerOptions) -> Tracker | None:
        folder, named = self._job.run.folder("logs"), f"{run_name(self._job.plan)}-{self._job.name}"
        folder = folder / name / self._job.name if name == "tensorboard" else folder
        try:
            return KINDS[name](getattr(options, name), named, folder, self._job.run.path / RESOLVED)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            self._warn(f"backend.{name}", f"{TRACKERS[name]} is not installed; pip install {name}")
        except Exception as error:
            problem = f"{TRACKERS[name]}: {one_line(error, 600)}"
            if not self._job.run.done and name == "wandb":  # as without a key: the user's mistake, told at once
                raise UserError(problem, where=f"backend.{name}") from error
            if not self._job.run.done:
                raise JobError(f"backend.{name}: {problem}") from error
            self._warn(f"backend.{name}", problem)
        return None

    def _follow(self) -> None:
        try:
            while not self._ended.wait(READ_S):
                self._tell_new()
            self._tell_new()
            for table in self._records.samples(self._count) if self._count else ():
                self._each("table", *table)
        except Exception as error:
            self._warn("trackers", f"the records of stage {self._job.name} cannot be read: {one_line(error)}")
        self._each("close", self.done)

    def _tell_new(self) -> None:
        new = [*self._records.new_steps(), *self._records.new_evaluations()]
        for step, numbers in sorted(new, key=lambda record: record[0]):
            self._each("log", step, numbers)

    def _each(self, method: str, *arguments: Any) -> None:
        for name, tracker in [*self._trackers.items()]:
            try:
                getattr(tracker, method)(*arguments)
            except Exception as error:
                del self._trackers[name]
                self._warn(TRACKERS[name], f"{one_line(error)}; it is told no more of stage {self._job.name}")

    def _warn(self, who: str, message: str) -> None:
        self._job.say(f"warning: {who}: {message}")
