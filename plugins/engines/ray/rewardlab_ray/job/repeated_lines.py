"""Lines that come by the thousand, which a stage's log counts and leaves out."""

import re
from collections.abc import Iterator

_REPEATED = {
    # of OpenRLHF: a model of 300 weights on 16 engines has 4,800 of them a step
    "update weight: ...": re.compile(r"\bupdate weight: (\S+), dtype: "),
    # of Ray: one a second for each call that waits for an actor's restart
    "... the task will be retried": re.compile(r"\bTask (\S+) failed\. There are infinite retries remaining"),
}


class RepeatedLines:
    """A counter of lines in which every other line would be lost.

    The first of a kind since the last summary is kept: in the log of a job that hangs there it says what had begun.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, str]] = {}
        """kind -> (lines since the last summary, what the last of them is about)"""

    def leaves_out(self, line: str) -> bool:
        """Return whether the log does without `line`."""
        for kind, pattern in _REPEATED.items():
            if match := pattern.search(line):
                before, _ = self._seen.get(kind, (0, ""))
                self._seen[kind] = before + 1, match[1]
                return before > 0
        return False

    def summary(self) -> Iterator[str]:
        """Yield a line about each kind of which some were left out since the last summary."""
        seen, self._seen = self._seen, {}
        for kind, (lines, last) in seen.items():
            if lines > 1:
                yield f"rewardlab left {lines - 1} more lines `{kind}` out of this log, the last of {last}"
