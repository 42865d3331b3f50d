"""The trackers, each a run of one stage: TensorBoard, Weights & Biases, MLflow and trackio.

All take the same names. Whatever a tracker's package raises comes out as it is; `following` tells it.
"""

import io
import os
import posixpath
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from contextvars import copy_context
from pathlib import Path
from typing import Any, Protocol

from rewardlab.files import LineAppender

Numbers = Mapping[str, float]
Rows = Sequence[Mapping[str, Any]]
DT_STRING = 7
"""TensorBoard's word for a tensor of texts"""


class Tracker(Protocol):
    """A run in a tracker, which is open until `close`."""

    def log(self, step: int, numbers: Numbers) -> None:
        """Tell the numbers of a step of the recipe."""

    def table(self, step: int, name: str, rows: Rows) -> None:
        """Show rows, of which there is at least one, as a table."""

    def close(self, done: bool, /) -> None:
        """End the run. done: whether its stage came to its end."""


class TensorBoard:
    """TensorBoard events; steps that are trained again after a resume replace those of the attempt before."""

    def __init__(self, _project: bool, _name: str, folder: Path, _recipe: Path) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        folder.mkdir(parents=True, exist_ok=True)
        # in this thread, where a full disk is noticed: EventFileWriter has one of its own, which dies of it aloud
        self._writer = RecordWriter(LineAppender(folder / f"events.out.tfevents.{time.time_ns()}.{os.getpid()}"))
        self._begun = False
        self._write(0, file_version="brain.Event:2")

    def log(self, step: int, numbers: Numbers) -> None:
        """See Tracker."""
        from tensorboard.compat.proto.event_pb2 import SessionLog

        if not self._begun and any(name.startswith("train/") for name in numbers):
            self._begun = True  # what comes from this step on replaces what an earlier attempt told
            self._write(step, session_log=SessionLog(status=SessionLog.START))
        self._summary(step, *({"tag": name, "simple_value": value} for name, value in numbers.items()))

    def table(self, step: int, name: str, rows: Rows) -> None:
        """See Tracker; the tab Text has it."""
        lines = ["|".join(rows[0]), "|".join("-" for _ in rows[0])]
        lines += ["|".join(" ".join(str(cell).replace("|", "&#124;").split()) for cell in row.values()) for row in rows]
        text = "\n".join(f"|{line}|" for line in lines).encode()
        tensor = {"dtype": DT_STRING, "string_val": [text], "tensor_shape": {"dim": [{"size": 1}]}}
        metadata = {"plugin_data": {"plugin_name": "text"}}
        self._summary(step, {"tag": name, "tensor": tensor, "metadata": metadata})

    def close(self, _done: bool) -> None:
        """See Tracker."""
        self._writer.close()

    def _summary(self, step: int, *values: Mapping[str, Any]) -> None:
        from tensorboard.compat.proto.summary_pb2 import Summary

        self._write(step, summary=Summary(value=[Summary.Value(**value) for value in values]))

    def _write(self, step: int, **content: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        self._writer.write(Event(wall_time=time.time(), step=step, **content).SerializeToString())


class Wandb:
    """A run of Weights & Biases, with the steps of the recipe as its axis."""

    def __init__(self, project: str, name: str, folder: Path, recipe: Path) -> None:
        import wandb

        os.environ.setdefault("WANDB_CONSOLE", "off")  # what is printed stays what it is
        self._table = wandb.Table
        where = os.environ.get("WANDB_DIR", str(folder))
        config = {"recipe": recipe.read_text(encoding="utf-8")}
        self._run = wandb.init(project=project, name=name, dir=where, config=config, reinit="create_new")
        self._run.define_metric("*", step_metric="train/global_step")

    def log(self, step: int, numbers: Numbers) -> None:
        """See Tracker."""
        self._run.log({**numbers, "train/global_step": step})

    def table(self, step: int, name: str, rows: Rows) -> None:
        """See Tracker."""
        table = self._table(columns=list(rows[0]), data=[list(row.values()) for row in rows])
        self._run.log({name: table, "train/global_step": step})

    def close(self, done: bool) -> None:
        """See Tracker."""
        self._run.finish(exit_code=0 if done else 1)


class MLflow:
    """A run of an MLflow experiment; the recipe and the tables are its artifacts."""

    def __init__(self, experiment: str, name: str, _folder: Path, recipe: Path) -> None:
        import mlflow

        self._metric = mlflow.entities.Metric
        self._client = mlflow.MlflowClient()
        known_experiment = mlflow.set_experiment(experiment)
        self._id = self._client.create_run(known_experiment.experiment_id, run_name=name).info.run_id
        self._client.log_artifact(self._id, str(recipe))

    def log(self, step: int, numbers: Numbers) -> None:
        """See Tracker."""
        now = int(time.time() * 1000)
        metrics = [self._metric(_mlflow_name(name), value, now, step) for name, value in numbers.items()]
        self._client.log_batch(self._id, metrics=metrics)

    def table(self, step: int, name: str, rows: Rows) -> None:
        """See Tracker."""
        columns = {column: [row[column] for row in rows] for column in rows[0]}
        self._client.log_table(self._id, columns, f"{name}-{step}.json")

    def close(self, done: bool) -> None:
        """See Tracker."""
        self._client.set_terminated(self._id, "FINISHED" if done else "FAILED")


class Trackio:
    """A run of trackio, on this machine unless TRACKIO_SPACE_ID says otherwise."""

    def __init__(self, project: str, name: str, _folder: Path, recipe: Path) -> None:
        import trackio

        self._trackio = trackio
        with redirect_stdout(io.StringIO()):  # what is printed stays what it is
            # in a context of its own: trackio ends the run of the current one once more when Python exits
            self._run = copy_context().run(
                trackio.init,
                project,
                name=name,
                config={"recipe": recipe.read_text(encoding="utf-8")},
                embed=False,
                auto_log_gpu=False,
                auto_log_cpu=False,
            )

    def log(self, step: int, numbers: Numbers) -> None:
        """See Tracker."""
        self._run.log(dict(numbers), step=step)

    def table(self, step: int, name: str, rows: Rows) -> None:
        """See Tracker."""
        table = self._trackio.Table(columns=list(rows[0]), data=[list(row.values()) for row in rows])
        self._run.log({name: table}, step=step)

    def close(self, _done: bool) -> None:
        """See Tracker."""
        with redirect_stdout(io.StringIO()):
            self._run.finish()


def _mlflow_name(name: str) -> str:
    """Return a metric's name as MLflow takes it: with fewer signs, and as a path without detours."""
    return posixpath.normpath(re.sub(r"[^/\w.\- :]|\.\.", "_", name))
