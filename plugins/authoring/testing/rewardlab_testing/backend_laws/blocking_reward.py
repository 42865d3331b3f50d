"""The plugin `check_backend`: a reward of 0 that holds a run up, or fails, once its ledger has some rows.

So a run is interrupted in the middle of a step however fast the engine is, and ends before its last one however late
the engine hears of it. `check_backend` offers it to the processes
that it starts, and to no others.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rewardlab import Config, RewardSpec, Score, hookimpl

from rewardlab_testing.backend_laws import mask, outcome
from rewardlab_testing.backend_laws.ledger import read_rows

PLUGIN, NAME = "check_backend", "gate"
HOLD, HELD, RELEASE, FAIL = "hold", "held", "release", "fail"
"""files: the run is to be held up; it is; the step under way may go on; the reward is to fail"""
FAILURE = "check_backend has this reward fail"
POLL_S = 0.01


class Options(Config):
    """The place and time at which a run is held up."""

    folder: str
    """the folder in which the run is made, with the files that say what is to happen"""
    rows: int
    """rows in the ledger, those of evaluations apart, from which on it happens"""
    step: int
    """completions of a step"""
    longest_s: float
    """seconds for which a run is held up at most, until it is interrupted"""
    late_s: float
    """seconds for which the step after that is held up, since an engine may hear of the interruption late"""


class Gate:
    """0 for every completion, at once or later or never."""

    def __init__(self, options: Options) -> None:
        self._folder = Path(options.folder)
        self._options = options
        self._end: float | None = None

    def score(self, items: Sequence[Any]) -> list[Score]:
        """Return 0 for each item. Raises RuntimeError if the reward is to fail."""
        if self._there(FAIL) and self._ledger_rows() >= self._options.rows:
            raise RuntimeError(FAILURE)
        if self._there(HOLD):
            self._hold_up(self._ledger_rows() - self._options.rows)
        return [Score(value=0.0)] * len(items)

    def _there(self, name: str) -> bool:
        return (self._folder / name).exists()

    def _ledger_rows(self) -> int:
        rows = (row for directory in self._folder.glob("runs/*") for row in read_rows(directory))
        return sum(row["trained"] != "no" for row in rows)

    def _hold_up(self, more: int) -> None:
        """Hold up the step that is to be interrupted, and then, for a while, those after it."""
        now = time.monotonic()
        if more >= self._options.step:
            self._end = self._end or now + self._options.late_s
            self._wait_while(lambda: self._there(HOLD), self._end)
        elif more >= 0:
            (self._folder / HELD).touch()
            self._wait_while(lambda: not self._there(RELEASE), now + self._options.longest_s)

    @staticmethod
    def _wait_while(goes_on: Callable[[], bool], end: float) -> None:
        while goes_on() and time.monotonic() < end:
            time.sleep(POLL_S)


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    """The gate, and what leaves completions without a value."""
    return [
        RewardSpec(
            name=NAME,
            summary="holds a run up, or fails, for check_backend",
            config=Options,
            range=(0.0, 0.0),
            build=lambda options, context: Gate(options),
        ),
        mask.spec(),
        *outcome.specs(),
    ]


def install(site: Path) -> None:
    """Write into an empty folder what makes this plugin an installed one for processes that have it on their path."""
    metadata = site / f"{PLUGIN}-0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PLUGIN}\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text(f"[rewardlab]\n{PLUGIN} = {__name__}\n")
