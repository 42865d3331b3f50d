"""The progress of a training stage, shown and written while it runs: a bar, numbers by step, TensorBoard events."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError
from rewardlab.text import cursor_stream
from tqdm import tqdm
from transformers import TrainerCallback

ALWAYS_SHOWN = ("loss", "reward/total")
MUST_BE_FINITE = ("loss", "grad_norm")


class TrainingProgress(TrainerCallback):
    """A bar with the time left (on a terminal), and a log of the numbers of every logged step.

    The log is `logs`/<stage>.jsonl, a line of JSON for each step with the same keys, null where there is no value, and
    if asked for TensorBoard events under `logs`/tensorboard. updates: of the optimizer in a step of the recipe. Raises
    JobError where the training has diverged. Close it, or use it as a context manager.
    """

    def __init__(self, stage: str, logs: Path, attempt: int, updates: int = 1, tensorboard: bool = False):
        self._stage = stage
        self._log = logs / f"{stage}.jsonl"
        self._events = logs / "tensorboard" / stage if tensorboard else None
        self._attempt = attempt
        self._updates = updates
        self._bar: tqdm | None = None
        self._writer: Any = None

    def __enter__(self) -> "TrainingProgress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the bar and the events; calling it again does nothing."""
        for output in filter(None, (self._bar, self._writer)):
            output.close()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step = state.global_step // self._updates
        self._bar = tqdm(
            total=state.max_steps // self._updates,
            initial=step,
            desc=self._stage,
            unit="step",
            disable=None,
            dynamic_ncols=True,
            file=cursor_stream(),
        )
        if self._events is not None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(self._events), purge_step=step + 1)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._bar is not None:
            self._bar.update(state.global_step // self._updates - self._bar.n)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        if not logs or "train_runtime" in logs:  # the latter is the trainer's summary at its end
            return
        step = state.global_step // self._updates
        numbers = {name: _finite(value) for name, value in logs.items()}
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"attempt": self._attempt, "step": step, **numbers}) + "\n")
        if self._writer is not None:
            for name, value in numbers.items():
                if value is not None:
                    self._writer.add_scalar(name, value, step)
        if self._bar is not None:
            shown = {n.removeprefix("reward/"): numbers[n] for n in ALWAYS_SHOWN if numbers.get(n) is not None}
            self._bar.set_postfix({name: f"{value:.3g}" for name, value in shown.items()}, refresh=False)
        for name in MUST_BE_FINITE:
            if name in numbers and numbers[name] is None:
                raise JobError(
                    f"stage {self._stage} has diverged: {name} is {logs[name]} at step {step}; "
                    "lower the learning rate, or raise warmup_steps"
                )


def _finite(value: Any) -> float | None:
    return value if isinstance(value, float | int) and math.isfinite(value) else None
