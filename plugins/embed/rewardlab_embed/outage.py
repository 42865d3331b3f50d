"""When failures of a translation server are too many to be made up for."""

import threading
from collections import deque

LAST = 1000
"""translations that count"""
SHARE = 0.05
"""of them may have failed; fewer than 20 translations allow no failure at all"""


class Outages:
    """The last translations: which of them the server gave no answer to. For any thread."""

    def __init__(self) -> None:
        self._failed: deque[bool] = deque(maxlen=LAST)
        self._lock = threading.Lock()

    def note(self, failed: bool) -> bool:
        """Counts one translation; whether the server's failures, this one included, are more than SHARE now."""
        with self._lock:
            self._failed.append(failed)
            return sum(self._failed) > SHARE * len(self._failed)
