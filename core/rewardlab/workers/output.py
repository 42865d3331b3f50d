"""The output of the workers of one pool, as the user sees it: named, each line once, and not without end."""

import threading
from collections.abc import Callable

from rewardlab.text.redaction import redact

MAX_LINES = 100
"""different lines of a pool that are shown"""
MAX_LINE_LENGTH = 500
"""characters of a line that are shown"""
TAIL_BYTES, TAIL_LINES = 1 << 14, 20
"""the end of a process's output that is kept for the message about its end"""

Show = Callable[[str], None]


class PoolOutput:
    """The lines that a pool's workers print, on stdout or stderr.

    Args:
        title: names the pool in front of each line.
        show: called with each line that is shown.
    """

    def __init__(self, title: str, show: Show) -> None:
        self._title, self._show = title, show
        self._lock = threading.Lock()
        self._shown: set[str] = set()
        self._full = False

    def of_worker(self, number: int) -> Callable[[bytes], bool]:
        """Return the function that is called with each chunk that worker `number` prints; false: it is not shown."""
        rest = b""

        def add(chunk: bytes) -> bool:
            nonlocal rest
            if self._full:
                return False
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[rest.rfind(b"\r", 0, -1) + 1 :][: 4 * MAX_LINE_LENGTH]  # it may never end
            for line in lines:
                self._add(number, line.rstrip(b"\r").rpartition(b"\r")[2].decode(errors="replace").rstrip())
            return True

        return add

    def _add(self, number: int, line: str) -> None:
        line = redact(line)  # first of all, or a cut would leave half of a secret
        line = line if len(line) <= MAX_LINE_LENGTH else f"{line[: MAX_LINE_LENGTH - 3]}..."
        with self._lock:
            if self._full or not line or line in self._shown:
                return
            self._shown.add(line)
            self._full = len(self._shown) >= MAX_LINES
        self._show(f"{self._title}, worker {number}: {line}")
        if self._full:
            more = "what they print from now on is not shown, but for the last lines of one that dies"
            self._show(f"{self._title}: its workers have printed {MAX_LINES} different lines; {more}")


def last_lines(printed: bytes) -> str:
    """Return the end of a message that shows the last lines of what a process printed."""
    whole = printed if len(printed) < TAIL_BYTES else printed.partition(b"\n")[2]  # half a line may be half a secret
    lines = [line for line in redact(whole.decode(errors="replace")).splitlines() if line.strip()][-TAIL_LINES:]
    return "\n  ".join(["; its last lines:", *lines]) if lines else ""
