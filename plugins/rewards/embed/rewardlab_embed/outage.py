"""Decide when a translation server fails too often for its failures to be made up for."""

import threading
from collections import deque

LAST = 1000
"""the last translations, which count"""
SHARE = 0.05
"""the share of them that may have failed; fewer than 20 translations allow no failure at all"""


class RecentFailures:
    """A record of which of the last translations the server did not answer. Safe in any thread."""

    def __init__(self) -> None:
        self._failed: deque[bool] = deque(maxlen=LAST)
        self._lock = threading.Lock()

    def note(self, failed: bool) -> bool:
        """Count one translation and return whether the server's failures, this one included, now exceed SHARE."""
        with self._lock:
            self._failed.append(failed)
            return sum(self._failed) > SHARE * len(self._failed)
