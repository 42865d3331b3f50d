"""The kept replies of a judge that several processes ask, as one of these processes sees them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from rewardlab import Reply
from rewardlab.errors import JobError, one_line

from rewardlab_leases.reply_owner import Answer, Message, owner_of

LOOK_S = 0.03
"""between two looks whether another process has its reply"""
TOGETHER_S = 0.01
"""messages that come within this time travel together"""
MAX_TOGETHER = 1000


class ReplyLine:
    """The messages of this process to one owner, many of which travel at once; on one event loop.

    send: takes messages to the owner, however often that is restarted, and returns its answers. A JobError if it
    stays away. together: seconds to wait for further messages; None if the owner is in this process.
    """

    def __init__(
        self, send: Callable[[list[Message]], Awaitable[list[Answer]]], together: float | None = TOGETHER_S
    ) -> None:
        self._send = send
        self._together = together
        self._queue: list[tuple[Message, asyncio.Future[Answer]]] = []
        self._sending: asyncio.Task[None] | None = None
        self._claims: set[tuple[str, str]] = set()
        self._owners = 0

    def put(self, *message: object) -> "asyncio.Future[Answer]":
        """Send a message, also if nobody waits for its answer."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._queue.append((message, answer))
        if self._sending is None:
            self._sending = asyncio.ensure_future(self._send_all())
        return answer

    def restarted(self) -> list[tuple[str, str]]:
        """Return the claims, (judge, key), that a restarted owner has to know.

        What its predecessor answered and has not arrived does not count any more, and is requested again.
        """
        self._owners += 1
        return sorted(self._claims)

    async def flush(self) -> None:
        """Wait until all messages have been answered."""
        while self._sending is not None:
            await asyncio.wait([self._sending])

    async def _send_all(self) -> None:
        try:
            while self._queue:
                if self._together:
                    await asyncio.sleep(self._together)
                batch, self._queue = self._queue[:MAX_TOGETHER], self._queue[MAX_TOGETHER:]
                for (message, answer), found in zip(batch, await self._answers(batch), strict=True):
                    self._settle(message, answer, found)
        finally:
            self._sending = None

    async def _answers(self, batch: Sequence[tuple[Message, asyncio.Future[Answer]]]) -> list[Answer]:
        messages = [message for message, _ in batch]
        while True:
            owners = self._owners
            try:
                answers = await self._send(messages)
            except Exception as error:  # whatever is wrong with the way to the owner is not a failure of a reward
                failure = error if isinstance(error, JobError) else JobError(one_line(error))
                return [failure] * len(messages)
            if owners == self._owners:
                return answers

    def _settle(self, message: Message, answer: "asyncio.Future[Answer]", found: Answer) -> None:
        kind, judge, key, *_ = message
        if kind == "claim" and found is True:
            if answer.cancelled():  # nobody is there to ask
                self.put("release", judge, key)
            self._claims.add((judge, key))
        elif kind in ("keep", "release"):
            self._claims.discard((judge, key))
        if not answer.done():
            answer.set_result(found)


class SharedReplies:
    """The kept replies of one judge, each at one of these owners; see ReplyStore."""

    def __init__(self, judge: str, owners: Sequence[ReplyLine]) -> None:
        self._judge = judge
        self._owners = owners
        self._loop: asyncio.AbstractEventLoop | None = None

    async def claim(self, key: str) -> Reply | None:
        """Return the kept reply, once there is one if another process asks; None if this process is to ask."""
        self._loop = asyncio.get_running_loop()
        while True:
            found = await self._line(key).put("claim", self._judge, key)
            if found is True:
                return None
            if isinstance(found, Reply):
                return found
            if isinstance(found, JobError):
                raise found
            await asyncio.sleep(LOOK_S)

    async def keep(self, key: str, model: str, draw: int, reply: Reply) -> Reply:
        """Keep a reply, even if whoever waits for it gives up, and return the one that is kept now."""
        found = await asyncio.shield(self._line(key).put("keep", self._judge, key, model, draw, reply))
        if isinstance(found, JobError):
            raise found
        assert isinstance(found, Reply)
        return found

    def release(self, key: str) -> None:
        """Let another process ask."""
        self._line(key).put("release", self._judge, key)

    def forget(self, keys: Iterable[str], recorded: bool) -> int:
        """Forget kept replies, a moment later, and return how many at most; from any thread."""
        of_owner: dict[int, list[str]] = {}
        for key in keys:
            of_owner.setdefault(owner_of(key, len(self._owners)), []).append(key)
        if self._loop is not None:  # else nothing was kept
            for number, its in of_owner.items():
                self._loop.call_soon_threadsafe(self._owners[number].put, "forget", self._judge, its, recorded)
        return sum(map(len, of_owner.values()))

    def close(self) -> None:
        """Do nothing: the files are their owners'."""

    def _line(self, key: str) -> ReplyLine:
        return self._owners[owner_of(key, len(self._owners))]
