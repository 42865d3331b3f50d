"""When failures of a translation server are too many to be made up for."""

import threading
from collections import deque

LAST = 1000
"""translations that count"""
MOST, SHARE = 4, 0.05
"""failures are made up for until there are more than MOST and they are more than SHARE of the translations"""


class Outages:
    """The last translations: which of them the server gave no answer to. For any thread."""

    def __init__(self) -> None:
        self._failed: deque[bool] = deque(maxlen=LAST)
        self._lock = threading.Lock()

    def note(self, failed: bool) -> bool:
        """Counts one translation; whether the server's failures are too many now."""
        with self._lock:
            self._failed.append(failed)
            count = sum(self._failed)
            return count > MOST and count > SHARE * len(self._failed)
