"""The plugin `check_backend`: a reward of 0 that holds a run up, or fails, once its ledger has some rows.

So a run is interrupted in the middle of a step however fast the engine is. `check_backend` offers it to the processes
that it starts, and to no others.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rewardlab.hookspecs import hookimpl
from rewardlab.specs import Config, RewardSpec
from rewardlab.types import Score

PLUGIN, NAME = "check_backend", "gate"
HOLD, HELD, RELEASE, FAIL = "hold", "held", "release", "fail"
"""files: the run is to be held up; it is; it is to go on; the reward is to fail"""
FAILURE = "check_backend has this reward fail"
LONGEST_S = 120.0
"""seconds for which a run is held up at most"""
POLL_S = 0.01


class Options(Config):
    folder: str
    """the folder in which the run is made, with the files that say what is to happen"""
    rows: int
    """rows in the ledger, those of evaluations apart, from which on it happens"""


class Gate:
    """0 for every completion, at once or later or never."""

    def __init__(self, options: Options):
        self._folder = Path(options.folder)
        self._rows = options.rows

    def score(self, items: Sequence[Any]) -> list[Score]:
        """Return 0 for each item. Raises RuntimeError where the reward is to fail."""
        if (self._folder / FAIL).exists() and self._reached():
            raise RuntimeError(FAILURE)
        if (self._folder / HOLD).exists() and self._reached():
            self._hold_up()
        return [Score(value=0.0)] * len(items)

    def _reached(self) -> bool:
        lines = [line for path in self._folder.glob("runs/*/ledger.jsonl") for line in path.read_bytes().splitlines()]
        return sum(b'"trained": "no"' not in line for line in lines) >= self._rows

    def _hold_up(self) -> None:
        (self._folder / HELD).touch()
        until = time.monotonic() + LONGEST_S
        while not (self._folder / RELEASE).exists() and time.monotonic() < until:
            time.sleep(POLL_S)


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    """The gate."""
    return [
        RewardSpec(
            name=NAME,
            summary="holds a run up, or fails, for check_backend",
            config=Options,
            range=(0.0, 0.0),
            build=lambda options, context: Gate(options),
        )
    ]


def install(site: Path) -> None:
    """Write into an empty folder what makes this plugin an installed one for processes that have it on their path."""
    metadata = site / f"{PLUGIN}-0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PLUGIN}\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text(f"[rewardlab]\n{PLUGIN} = {__name__}\n")
