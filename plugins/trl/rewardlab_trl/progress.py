"""The progress of a training stage, shown and written while it runs: a bar, numbers by step, TensorBoard events."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines
from rewardlab.text import Progress
from rewardlab.training import DivergenceWatch
from transformers import TrainerCallback

TOTAL = "reward/total"
NOT_SHOWN = ("reward/groups_without_variance",)


class TrainingProgress(TrainerCallback):
    """A bar with the time left, or lines of it where nobody sees a bar, and a log of the numbers of every logged step.

    The log is `logs`/<stage>.jsonl, a line of JSON for each step with the same keys, null where there is no value.
    updates: of the optimizer in a step of the recipe. watch: gets the numbers too, and raises JobError where the
    training has diverged. Close it, or use it as a context manager.
    """

    def __init__(self, stage: str, logs: Path, attempt: int, watch: DivergenceWatch, updates: int = 1) -> None:
        self._stage = stage
        self._watch = watch
        self._log = logs / f"{stage}.jsonl"
        self._attempt = attempt
        self._updates = updates
        self._progress: Progress | None = None

    def __enter__(self) -> "TrainingProgress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the bar; calling it again does nothing."""
        if self._progress is not None:
            self._progress.close()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step = state.global_step // self._updates
        self._progress = Progress(self._stage, state.max_steps // self._updates, unit="step", initial=step, delay_s=0)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._progress is not None and not control.should_log:  # else the step's numbers come first, with `on_log`
            self._progress.move_to(state.global_step // self._updates)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        if not logs or "train_runtime" in logs:  # the latter is the trainer's summary at its end
            return
        step = state.global_step // self._updates
        numbers = {name: _finite(value) for name, value in logs.items()}
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"attempt": self._attempt, "step": step, **numbers}) + "\n")
        if self._progress is not None:
            self._progress.note(_shown(numbers))
            self._progress.move_to(step)
        self._watch.take(step, logs)


def logged_steps(stage: str, logs: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (step, numbers) of all that earlier attempts at a stage have logged."""
    log = logs / f"{stage}.jsonl"
    for _, row in read_lines(log) if log.exists() else ():
        if isinstance(row, Mapping) and isinstance(row.get("step"), int):
            yield row["step"], row


def _shown(numbers: Mapping[str, float | None]) -> dict[str, float]:
    """Return what is shown beside the progress: the total, the parts of the reward, the loss."""
    parts = [name for name in numbers if name.startswith("reward/") and name not in (TOTAL, *NOT_SHOWN)]
    names = [TOTAL, *parts, "loss"]
    return {name.removeprefix("reward/"): value for name in names if (value := numbers.get(name)) is not None}


def _finite(value: Any) -> float | None:
    return value if isinstance(value, float | int) and math.isfinite(value) else None
