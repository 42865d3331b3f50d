"""What a training stage shows and writes while it runs, and how it is stopped without losing its work."""

import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm
from transformers import TrainerCallback

ALWAYS_SHOWN = ("loss", "reward/total")


class Progress(TrainerCallback):
    """A bar with the time left (on a terminal), and every logged number as a line of JSON in `log`."""

    def __init__(self, what: str, log: Path, attempt: int, updates_per_step: int = 1):
        self._what = what
        self._log = log
        self._attempt = attempt
        self._per_step = updates_per_step
        self._bar: tqdm | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._bar = tqdm(
            total=state.max_steps // self._per_step,
            initial=state.global_step // self._per_step,
            desc=self._what,
            unit="step",
            disable=None,
            dynamic_ncols=True,
        )

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._bar is not None:
            self._bar.update(state.global_step // self._per_step - self._bar.n)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        numbers = {key: value for key, value in (logs or {}).items() if isinstance(value, float | int)}
        row = {"attempt": self._attempt, "step": state.global_step // self._per_step, **numbers}
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        if self._bar is not None:
            shown = {k.removeprefix("reward/"): f"{numbers[k]:.3g}" for k in ALWAYS_SHOWN if k in numbers}
            self._bar.set_postfix(shown, refresh=False)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._bar is not None:
            self._bar.close()


class StopKindly(TrainerCallback):
    """The first Ctrl-C saves a checkpoint after the step that runs and stops; the second stops at once."""

    def __init__(self, updates_per_step: int = 1):
        self._per_step = updates_per_step
        self._before: Any = None
        self.stopped = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._before = signal.signal(signal.SIGINT, self._note)

    def _note(self, *_: Any) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = True
        print("\nstopping after this step; Ctrl-C again stops at once", flush=True)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.stopped and state.global_step % self._per_step == 0:
            control.should_save = True
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None


def last_checkpoint(folder: Path) -> str | None:
    """The newest whole checkpoint under `folder`, or None."""
    found = [p for p in folder.glob("checkpoint-*") if (p / "trainer_state.json").is_file()]
    return str(max(found, key=lambda p: int(p.name.rpartition("-")[2]))) if found else None
