"""The deadline for all questions about a group; it runs once the group is complete and a question is sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Protocol

from rewardlab.types import Sample


class ArrivingGroup(Protocol):
    """A group as far as its clock needs to know it, such as a GroupStream."""

    sample: Sample

    @property
    def complete(self) -> bool:
        """Whether all of its completions have arrived."""


class GroupTimeout(Exception):
    """The end of the time that a group has with a judge."""


class GroupClock:
    """The time that a group has left with each judge."""

    def __init__(self, stream: ArrivingGroup) -> None:
        self._stream = stream
        self._ends: dict[str, float] = {}
        self._limits: dict[str, list[asyncio.Timeout]] = {}

    @asynccontextmanager
    async def limited(self, judge: str, seconds: float) -> AsyncIterator[None]:
        """Limit a block to what the group has left of its `seconds` with a judge. Raises GroupTimeout after that."""
        limit = asyncio.timeout_at(self._ends.get(judge))
        limits = self._limits.setdefault(judge, [])
        try:
            async with limit:
                limits.append(limit)
                try:
                    yield
                finally:
                    limits.remove(limit)
        except TimeoutError:
            if not limit.expired():
                raise
            why = f"judge {judge!r} did not answer all questions about the group within {seconds:g} s"
            raise GroupTimeout(why) from None

    @property
    def sample_id(self) -> str:
        """The id of the group's sample."""
        return self._stream.sample.id

    def sent(self, judge: str, seconds: float) -> None:
        """Note that a question is sent; the first one after the group is complete starts the clock, of `seconds`."""
        if judge in self._ends or not self._stream.complete:
            return
        self._ends[judge] = asyncio.get_running_loop().time() + seconds
        for limit in self._limits.get(judge, ()):
            if not limit.expired():
                limit.reschedule(self._ends[judge])


GROUP_CLOCK: ContextVar[GroupClock | None] = ContextVar("the group that is being scored", default=None)
"""the clock of the group that the running task scores; None outside of one"""
UNANSWERED: ContextVar[list[str] | None] = ContextVar("questions of a component that got no answer", default=None)
"""the errors of such questions, of the component that the running task scores for a group"""
