"""The numbers of each step: verl writes them to a file, a line of JSON a step, which is read while it grows."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

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
TOLD = ("loss", "grad_norm", "kl", "length")


def read_steps(path: Path, done: int = 0) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield (step, its numbers by the names of rewardlab) of the lines after the first `done`, those that are whole."""
    if not path.exists():
        return
    lines = path.read_bytes().split(b"\n")[:-1]
    for line in lines[done:]:
        row = json.loads(line)
        yield row["step"], {NAMES[name]: _number(value) for name, value in row["data"].items() if name in NAMES}


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)  # JSON has no other word for it


class StepNumbers:
    """A reader of one attempt's file. `take` is called with each step that is told and its numbers."""

    def __init__(self, path: Path, steps: Callable[[], int | None], take: Callable[[int, Mapping[str, float]], None]):
        self._path = path
        self._take = take
        self._steps = steps
        self._done = 0

    def read(self) -> Iterator[str]:
        """Yield a line for the user of each step that has been written since the last call."""
        for step, numbers in read_steps(self._path, self._done):
            self._done += 1
            if numbers:  # else an evaluation's
                self._take(step, numbers)
                yield self._line(step, numbers)

    def _line(self, step: int, numbers: Mapping[str, float]) -> str:
        steps = self._steps()
        of = "" if steps is None else f" of {steps}"
        told = ", ".join(f"{name.replace('_norm', 'ient')} {numbers[name]:.3g}" for name in TOLD if name in numbers)
        return f"step {step}{of}: {told}"
