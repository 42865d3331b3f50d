"""Trackers of a stage: TensorBoard, Weights & Biases and MLflow get the numbers of its steps and its evaluations.

The latter two are the integrations that TRL's trainers have (`report_to`), with two changes: a step is one of the
recipe, and a run stays open for the evaluation after the training. The names are those that OpenRLHF's trackers use:
train/reward/total, train/loss, eval/reward/total.
"""

import dataclasses
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rewardlab.errors import JobError, UserError, one_line
from rewardlab.recipe import RlStage
from rewardlab.training import Results, StageJob
from transformers import Trainer, TrainerCallback
from transformers.integrations import MLflowCallback, WandbCallback

from rewardlab_trl.options import Options, options_of

SUMMARY = "train_runtime"
"""a key of the trainer's summary at its end, which is not a step"""


class Trackers:
    """The trackers that a recipe asks for. Close them, or use them as a context manager."""

    def __init__(self, job: StageJob) -> None:
        options = options_of(job.plan)
        updates = job.stage.updates if isinstance(job.stage, RlStage) else 1
        _name_places(options, job)
        # callbacks of the trainer that take evaluations, too; `open` is for a stage without a trainer
        self._trackers: list[Any] = []
        if options.tensorboard:
            self._trackers.append(_TensorBoard(str(job.run.folder("logs", "tensorboard", job.name)), updates))
        if options.wandb is not None:
            self._trackers.append(_Wandb(updates))
        if options.mlflow is not None:
            self._trackers.append(_MLflow(updates))
        self._waiting: list[tuple[int, Mapping[str, float]]] = []
        self._open = False

    def __enter__(self) -> "Trackers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_to(self, trainer: Trainer) -> None:
        """Let the trainer tell the trackers its steps; evaluations that came before are told when it begins."""
        for tracker in self._trackers:
            trainer.add_callback(tracker)
        trainer.add_callback(_Begin(self))

    def open(self, name: str) -> None:
        """Open the trackers for a stage without a trainer; `name` is that of its run."""
        for tracker in self._trackers:
            tracker.open(name)
        self._open = True

    def evaluated(self, step: int, results: Results) -> None:
        """Tell the numbers of an evaluation of the policy that was trained for `step` steps."""
        self._waiting.append((step, results.metrics()))
        if self._open:
            self.begin()

    def begin(self) -> None:
        """Tell the evaluations that wait, now that the trackers are open."""
        self._open = True
        for step, numbers in self._waiting:
            for tracker in self._trackers:
                tracker.log_evaluation(step, {f"eval/{name}": value for name, value in numbers.items()})
        self._waiting = []

    def close(self) -> None:
        """End the trackers' runs; calling it again does nothing."""
        for tracker in self._trackers:
            tracker.end()
        self._trackers = []


def _name_places(options: Options, job: StageJob) -> None:
    """Set the variables by which the integrations know their project; those that the user has set come first."""
    if options.wandb is not None:
        os.environ["WANDB_PROJECT"] = options.wandb
        os.environ.setdefault("WANDB_DIR", str(job.run.folder("logs")))
        os.environ.setdefault("WANDB_CONSOLE", "off")  # what is printed stays what it is
    if options.mlflow is not None:
        os.environ["MLFLOW_EXPERIMENT_NAME"] = options.mlflow


class _Begin(TrainerCallback):
    """Says when all trackers are open; added behind them."""

    def __init__(self, trackers: Trackers) -> None:
        self._trackers = trackers

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._trackers.begin()


class _TensorBoard(TrainerCallback):
    """TensorBoard events; steps that are trained again after a resume replace those of the attempt before."""

    def __init__(self, folder: str, updates: int) -> None:
        self._folder = folder
        self._updates = updates
        self._writer: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(self._folder, purge_step=state.global_step // self._updates + 1)

    def open(self, name: str) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(self._folder)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        for name, value in _numbers(logs).items():
            self._writer.add_scalar(f"train/{name}", value, state.global_step // self._updates)

    def log_evaluation(self, step: int, numbers: Mapping[str, float]) -> None:
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, step)

    def end(self) -> None:
        if self._writer is not None:
            self._writer.close()


class _Wandb(WandbCallback):
    """transformers' callback for Weights & Biases, which puts train/ before the names itself."""

    def __init__(self, updates: int) -> None:
        super().__init__()
        self._updates = updates

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **more: Any) -> None:
        with self._refusals():
            super().on_train_begin(args, state, control, model=model, **more)

    def open(self, name: str) -> None:
        with self._refusals():
            self._wandb.init(project=os.environ["WANDB_PROJECT"], name=name)
            self._initialized = True

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Tell what W&B refuses (no key, no way to the server) as the user's mistake."""
        try:
            yield
        except self._wandb.Error as error:
            self._initialized = False
            raise UserError(f"Weights & Biases: {one_line(error)}", where="backend.wandb") from error

    def on_log(
        self, args: Any, state: Any, control: Any, model: Any = None, logs: Mapping[str, Any] | None = None, **more: Any
    ) -> None:
        if numbers := _numbers(logs):
            super().on_log(args, _in_steps(state, self._updates), control, model=model, logs=numbers, **more)

    def log_evaluation(self, step: int, numbers: Mapping[str, float]) -> None:
        self._wandb.log({**numbers, "train/global_step": step})

    def end(self) -> None:
        if self._initialized:
            self._wandb.finish()


class _MLflow(MLflowCallback):
    """transformers' callback for MLflow."""

    def __init__(self, updates: int) -> None:
        super().__init__()
        self._updates = updates

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **more: Any) -> None:
        with self._refusals():
            super().on_train_begin(args, state, control, model=model, **more)

    def on_log(
        self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, model: Any = None, **more: Any
    ) -> None:
        if numbers := {f"train/{name}": value for name, value in _numbers(logs).items()}:
            with self._refusals():
                super().on_log(args, _in_steps(state, self._updates), control, numbers, model=model, **more)

    def open(self, name: str) -> None:
        with self._refusals():
            self._ml_flow.set_experiment(os.environ["MLFLOW_EXPERIMENT_NAME"])
            self._ml_flow.start_run(run_name=name)
        self._initialized = self._auto_end_run = True

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Tell what MLflow refuses (a store that it does not take, a server that is gone) as an error of the job."""
        try:
            yield
        except self._ml_flow.MlflowException as error:
            raise JobError(f"MLflow (backend.mlflow, MLFLOW_TRACKING_URI): {one_line(error, 600)}") from error

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Leave the run open: the evaluation after the training belongs to it."""

    def log_evaluation(self, step: int, numbers: Mapping[str, float]) -> None:
        with self._refusals():
            self._ml_flow.log_metrics({_mlflow_name(name): value for name, value in numbers.items()}, step=step)

    def end(self) -> None:
        if self._initialized and self._auto_end_run and self._ml_flow.active_run():
            self._ml_flow.end_run()


def _numbers(logs: Mapping[str, Any] | None) -> dict[str, float]:
    """Return the finite numbers of a step; none of the trainer's summary."""
    if not logs or SUMMARY in logs:
        return {}
    return {name: value for name, value in logs.items() if isinstance(value, int | float) and math.isfinite(value)}


def _in_steps(state: Any, updates: int) -> Any:
    """Return the trainer's state with its step counted as the recipe does."""
    return dataclasses.replace(state, global_step=state.global_step // updates)


def _mlflow_name(name: str) -> str:
    """Return a metric's name with the signs that MLflow takes."""
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "_-. :/") else "_" for sign in name)
