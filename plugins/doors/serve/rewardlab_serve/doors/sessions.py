"""The sessions of OpenReward's clients: each has a row, as long as somebody asks for it."""

import json
import time
import uuid
from collections.abc import Mapping
from http import HTTPStatus
from itertools import takewhile
from typing import Any

from rewardlab_serve.errors import RequestError, bad_request, too_many
from rewardlab_serve.memory import memory_of_json

STALE = 900.0
"""seconds after which a session ends that nobody has asked for"""
MAX_MEMORY = 2**28
"""bytes that the rows of all sessions take"""
OVERHEAD = 1024
"""bytes for which a session counts beside its row"""


class Sessions:
    """Rows by the id of their session."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[Mapping[str, Any], int]] = {}
        self._seen: dict[str, float] = {}
        """when a session was last asked for, the longest ago first"""
        self._memory = 0

    @staticmethod
    def new_id() -> str:
        """Return the id of a session to come."""
        return str(uuid.uuid4())

    def open(self, name: str, row: Mapping[str, Any]) -> None:
        """Keep a row. Raises a RequestError if the session has one, or if there are too many."""
        self._end_stale()
        size = OVERHEAD + memory_of_json(json.dumps(row).encode())
        if name in self._rows:
            raise bad_request(f"session {name[:64]!r} exists already")
        if len(name) > 128:
            raise bad_request("the id of a session has at most 128 characters")
        if self._memory + size > MAX_MEMORY:
            raise too_many(f"{len(self._rows):,} sessions are open, the limit of this server", after=5.0)
        self._rows[name], self._seen[name] = (row, size), time.monotonic()
        self._memory += size

    def row(self, name: str) -> Mapping[str, Any]:
        """Return a session's row, and keep it for longer. Raises a RequestError for one that is not open."""
        if name not in self._rows:
            raise RequestError(HTTPStatus.NOT_FOUND, "unknown_session", f"no session {name[:64]!r} is open")
        del self._seen[name]
        self._seen[name] = time.monotonic()
        return self._rows[name][0]

    def close(self, name: str) -> None:
        """Forget a session; one that is not open is no fault."""
        if name in self._rows:
            self._memory -= self._rows.pop(name)[1]
            del self._seen[name]

    def _end_stale(self) -> None:
        now = time.monotonic()
        for name in list(takewhile(lambda name: now - self._seen[name] > STALE, self._seen)):
            self.close(name)
