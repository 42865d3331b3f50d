"""The deadline of a group: for all questions about it, from when it is complete and the first is sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Protocol

from rewardlab.types import Sample


class Arriving(Protocol):
    """A group as far as its clock has to know it, such as a GroupStream."""

    sample: Sample

    @property
    def complete(self) -> bool:
        """Whether all of its completions are there."""


class GroupClock:
    """One group's time with one judge."""

    def __init__(self, stream: Arriving):
        self._stream = stream
        self._ends: dict[str, float] = {}
        self._limits: dict[str, list[asyncio.Timeout]] = {}

    @property
    def sample_id(self) -> str:
        """Of the group."""
        return self._stream.sample.id

    @asynccontextmanager
    async def limited(self, judge: str) -> AsyncIterator[asyncio.Timeout]:
        """Within this, a question waits no longer than the group's time lasts: TimeoutError, `.expired()`."""
        limit = asyncio.timeout_at(self._ends.get(judge))
        limits = self._limits.setdefault(judge, [])
        async with limit:
            limits.append(limit)
            try:
                yield limit
            finally:
                limits.remove(limit)

    def sent(self, judge: str, seconds: float) -> None:
        """A question goes out; the first one after the group is complete starts the clock."""
        if judge in self._ends or not self._stream.complete:
            return
        self._ends[judge] = asyncio.get_running_loop().time() + seconds
        for limit in self._limits.get(judge, ()):
            if not limit.expired():
                limit.reschedule(self._ends[judge])


GROUP: ContextVar[GroupClock | None] = ContextVar("the group that is being scored", default=None)
