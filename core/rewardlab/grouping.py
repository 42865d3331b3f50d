"""The group barrier: completions of one prompt as they arrive, seen by any number of readers.

Readers may live in different event loops and threads than the producer.
"""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

from rewardlab.errors import one_line
from rewardlab.types import Completion, Group, Sample


class GroupStream:
    """The G completions of one prompt, in order of arrival.

    `size` (G) is known from the start and may be 1. Each `async for index, completion in stream` sees every
    arrival once, from the first on; `await stream.group()` waits for all of them. Indices, not arrival,
    decide what a score belongs to. If the group cannot be completed, readers get the producer's exception.
    """

    def __init__(self, sample: Sample, size: int):
        if size < 1:
            raise ValueError(f"a group has at least one completion, not {size}")
        self.sample = sample
        self.size = size
        self._arrived: list[tuple[int, Completion]] = []
        self._indices: set[int] = set()
        self._failure: Exception | None = None
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future]] = []
        self._lock = threading.Lock()

    @classmethod
    def of(cls, group: Group) -> "GroupStream":
        """A stream of a group that is complete."""
        stream = cls(group.sample, len(group.completions))
        stream._arrived = list(enumerate(group.completions))
        stream._indices = set(range(stream.size))
        return stream

    @property
    def complete(self) -> bool:
        """Whether all G completions are there."""
        return len(self._arrived) >= self.size

    def put(self, index: int, completion: Completion) -> None:
        """Producer's side: completion `index` (from 0) is there; once for each, from any thread."""
        if not 0 <= index < self.size:
            raise IndexError(f"index {index} in a group of {self.size}")
        with self._lock:
            if index in self._indices:
                raise ValueError(f"completion {index} of sample {self.sample.id!r} arrived twice")
            self._indices.add(index)
            self._arrived.append((index, completion))
        self._wake()

    def fail(self, error: BaseException) -> None:
        """Producer's side: the rest will not come; every reader who waits for it gets the first `error`."""
        if not isinstance(error, Exception):  # an interrupt would end the readers' loops, too
            error = RuntimeError(f"the rest of sample {self.sample.id!r} will not come: {one_line(error)}")
        with self._lock:
            self._failure = self._failure or error
        self._wake()

    async def __aiter__(self) -> AsyncIterator[tuple[int, Completion]]:
        for position in range(self.size):
            await self._until(position + 1)
            yield self._arrived[position]

    async def group(self) -> Group:
        """The whole group, once it is complete."""
        await self._until(self.size)
        return Group(sample=self.sample, completions=tuple(c for _, c in sorted(self._arrived, key=_index)))

    async def _until(self, count: int) -> None:
        while True:
            with self._lock:
                if len(self._arrived) >= count:
                    return
                if self._failure is not None:
                    raise self._failure
                loop = asyncio.get_running_loop()
                arrival = loop.create_future()
                self._waiting.append((loop, arrival))
            await arrival

    def _wake(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for loop, arrival in waiting:
            with suppress(RuntimeError):  # the reader's loop is closed; that is no concern of the producer's
                loop.call_soon_threadsafe(_resolve, arrival)


def _index(arrival: tuple[int, Completion]) -> int:
    return arrival[0]


def _resolve(arrival: asyncio.Future) -> None:
    if not arrival.done():
        arrival.set_result(None)
