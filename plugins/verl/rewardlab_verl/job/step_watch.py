"""The numbers of each step: verl writes them to a file, a line of JSON a step, which is read here while it grows."""

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError
from rewardlab.recipe import RlStage, SftStage
from rewardlab.training import AlarmWatch, StageJob

LOGGER_PATH = "VERL_FILE_LOGGER_PATH"
"""the variable that names verl's file"""
NAMES = {
    "actor/pg_loss": "loss",
    "train/loss": "loss",
    "actor/grad_norm": "grad_norm",
    "train/grad_norm": "grad_norm",
    "actor/kl_loss": "kl",
    "actor/reward_kl_penalty": "kl",
    "response_length/mean": "length",
}
"""verl's names -> those of rewardlab"""
TOLD = {"loss": "loss", "grad_norm": "gradient", "kl": "KL", "length": "length"}
READ_S = 1.0
"""seconds between two looks at the file"""


def read_steps(path: Path, done: int = 0) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield (step, its numbers by the names of rewardlab) of the lines after the first `done`, those that are whole."""
    if not path.exists():
        return
    for line in path.read_bytes().split(b"\n")[:-1][done:]:
        row = json.loads(line)
        yield row["step"], {NAMES[name]: _number(value) for name, value in row["data"].items() if name in NAMES}


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)  # JSON has no other word for it


class StepWatch:
    """A thread that tells the user the numbers of one attempt's steps, and stops the run if an alarm wants that.

    path: the attempt's file, beside those of earlier attempts. Use it as a context manager.
    """

    def __init__(self, job: StageJob, path: Path) -> None:
        stage = job.stage
        assert isinstance(stage, RlStage | SftStage)
        self._path, self._done = path, 0
        self._of = f" of {stage.steps}" if stage.steps else ""
        others = sorted(path.parent.glob(f"{job.name}.steps-*.jsonl"))
        history = [step for other in others if other != path for step in read_steps(other)]
        self._alarms = AlarmWatch(job.plan, job.run.path, job.index, job.run.attempt, job.say, history)
        self._say, self._stop = job.say, job.run.stop
        self._error: JobError | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="rewardlab-steps", daemon=True)

    def __enter__(self) -> "StepWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Read what is left; calling it again does nothing."""
        self._ended.set()
        self._thread.join()

    def check(self) -> None:
        """Raise what has ended the stage, if anything has."""
        if self._error is not None:
            raise self._error

    def _watch(self) -> None:
        ended = False
        while not ended:
            ended = self._ended.wait(READ_S)
            for step, numbers in read_steps(self._path, self._done):
                self._done += 1
                if numbers:  # else an evaluation's
                    self._say(self._line(step, numbers))
                    self._take(step, numbers)

    def _line(self, step: int, numbers: Mapping[str, float]) -> str:
        told = (f"{word} {numbers[name]:.3g}" for name, word in TOLD.items() if name in numbers)
        return f"step {step}{self._of}: {', '.join(told)}"

    def _take(self, step: int, numbers: Mapping[str, float]) -> None:
        if self._error is None:
            try:
                self._alarms.take(step, numbers)
            except JobError as error:
                self._error = error
                self._stop.set()
