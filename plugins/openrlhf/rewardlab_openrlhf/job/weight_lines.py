"""The lines of OpenRLHF for each weight, engine and step, which a stage's log counts and leaves out."""

import re

_WEIGHT = re.compile(r"\bupdate weight: (\S+), dtype: ")


class WeightLines:
    """A counter of the lines that each rollout engine prints for each weight of each exchange.

    A model of 300 weights on 16 engines has 4,800 of them a step, in which every other line would be lost. The first
    since the last summary is kept: in the log of a job that hangs there it says that an exchange had begun.
    """

    def __init__(self) -> None:
        self._lines = 0
        self._last = ""

    def leaves_out(self, line: str) -> bool:
        """Return whether the log does without `line`."""
        found = _WEIGHT.search(line)
        if found is None:
            return False
        self._lines += 1
        self._last = found[1]
        return self._lines > 1

    def summary(self) -> str | None:
        """Return a line about what was left out since the last summary; None where nothing was."""
        left_out, self._lines = self._lines - 1, 0
        if left_out < 1:
            return None
        return f"rewardlab left {left_out} more lines `update weight: ...` out of this log, the last of {self._last}"
