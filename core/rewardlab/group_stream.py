"""The group barrier: completions of one prompt as they arrive, for any number of readers.

Readers may live in other event loops and threads than the producer.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any

from rewardlab.errors import one_line
from rewardlab.types import Completion, Group, Sample


class GroupStream:
    """The G completions of one prompt, in order of arrival.

    `size` (G) is known from the start and may be 1. Each `async for index, completion in stream` sees every
    arrival once, starting with the first; `await stream.group()` waits for all of them. Indices, not the order of
    arrival, decide what a score belongs to. If the group cannot be completed, readers get the producer's exception.
    `places` are those of its completions in the whole group, in which there may be failed rollouts, too.
    """

    def __init__(self, sample: Sample, size: int) -> None:
        if size < 1:
            raise ValueError(f"a group has at least one completion, not {size}")
        self.sample = sample
        self.size = size
        self.places: Sequence[int] = range(size)
        self._arrived: list[tuple[int, Completion]] = []
        self._indices: set[int] = set()
        self._failure: Exception | None = None
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[Any]]] = []
        self._lock = threading.Lock()

    @classmethod
    def of(cls, group: Group) -> "GroupStream":
        """Return the stream of a group that is complete."""
        stream = cls(group.sample, len(group.completions))
        stream._arrived = list(enumerate(group.completions))
        stream._indices = set(range(stream.size))
        return stream

    @property
    def complete(self) -> bool:
        """Whether all G completions have arrived."""
        return len(self._arrived) >= self.size

    def put(self, index: int, completion: Completion) -> None:
        """Add completion `index` (from 0), once for each index; for the producer, from any thread.

        Raises IndexError outside of the group, ValueError if the completion has arrived before.
        """
        if not 0 <= index < self.size:
            raise IndexError(f"index {index} in a group of {self.size}")
        with self._lock:
            if index in self._indices:
                raise ValueError(f"completion {index} of sample {self.sample.id!r} arrived twice")
            self._indices.add(index)
            self._arrived.append((index, completion))
        self._wake()

    def fail(self, error: BaseException) -> None:
        """Give up the rest of the group: readers that wait for it get the first `error`; for the producer."""
        if not isinstance(error, Exception):  # an interrupt would also end the readers' loops
            error = RuntimeError(f"the rest of sample {self.sample.id!r} will not come: {one_line(error)}")
        with self._lock:
            self._failure = self._failure or error
        self._wake()

    async def __aiter__(self) -> AsyncIterator[tuple[int, Completion]]:
        for position in range(self.size):
            await self._wait_for(position + 1)
            yield self._arrived[position]

    async def group(self) -> Group:
        """Return the whole group, once it is complete; raise the producer's error if it never will be."""
        await self._wait_for(self.size)
        return Group(sample=self.sample, completions=tuple(c for _, c in sorted(self._arrived, key=itemgetter(0))))

    async def _wait_for(self, count: int) -> None:
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
            with suppress(RuntimeError):  # the reader's loop is closed, which is not the producer's concern
                loop.call_soon_threadsafe(_resolve, arrival)


def _resolve(arrival: asyncio.Future[Any]) -> None:
    if not arrival.done():
        arrival.set_result(None)
