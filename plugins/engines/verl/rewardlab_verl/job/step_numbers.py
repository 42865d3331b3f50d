"""The numbers of each step: verl writes them to a file, a line of JSON a step, and the driver prints them."""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

VARIABLE = "VERL_FILE_LOGGER_PATH"
"""names verl's file"""
NAMES = {
    "actor/pg_loss": "loss",
    "train/loss": "loss",
    "actor/grad_norm": "grad_norm",
    "train/grad_norm": "grad_norm",
    "actor/entropy": "entropy",
    "actor/kl_loss": "kl",
    "actor/reward_kl_penalty": "kl",
    "response_length/mean": "rollout/response_length_mean",
    "timing_s/step": "timing/step_total",
}
"""verl's names -> those of rewardlab; its other numbers keep their names"""
READ_S = 1.0
"""seconds between two looks at the file"""


@contextmanager
def printed_steps(path: Path) -> Iterator[None]:
    """Print the numbers of each step that verl writes to a file meanwhile, in lines that the stage's log reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ended = threading.Event()

    def watch() -> None:
        done, last = 0, False
        while not last:
            last = ended.wait(READ_S)
            for step, numbers in _read_steps(path, done):
                done += 1
                if numbers:
                    print(f"{datetime.now():%m-%d %H:%M:%S} Global step {step}: {numbers}", flush=True)

    thread = threading.Thread(target=watch, name="rewardlab-steps", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def trackers() -> dict[str, str]:
    """Return the variables that tell verl's trackers where to write, for processes elsewhere."""
    names = (VARIABLE, "TENSORBOARD_DIR")
    return {name: os.environ[name] for name in names if name in os.environ}


def _read_steps(path: Path, done: int) -> Iterator[tuple[int, Mapping[str, float]]]:
    """Yield (step, its numbers) of the lines after the first `done`, those that are whole."""
    if not path.exists():
        return
    for line in path.read_bytes().split(b"\n")[:-1][done:]:
        row = json.loads(line)
        trained = any(name in NAMES for name in row["data"])  # else an evaluation's
        numbers = {
            name: value for name, value in row["data"].items() if value is None or isinstance(value, int | float)
        }
        yield row["step"], {NAMES.get(name, name): _number(value) for name, value in numbers.items()} if trained else {}


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)  # JSON has no other word for it
