"""Replies that need no call: kept in files, or on their way to another asker of the same question."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from rewardlab.judging.cassette import question_key
from rewardlab.judging.kept_replies import KeptReplies, ReplyFiles
from rewardlab.recipe.use import CassetteUse, JudgeUse
from rewardlab.specs import JudgeSpec
from rewardlab.text.redaction import redact
from rewardlab.types import Ask, Reply

MAX_OPEN = 4096
"""replies whose asker has not said yet whether it could use them; the oldest are taken for usable"""
MAX_READ = 256
"""replies that an asker could use, of which another may yet say that it could not"""
MAX_UNUSABLE = 65_536
"""unusable replies that this job does not ask for again; later ones may be asked for once more"""


class ReplyCache:
    """The kept replies of one judge, and its questions that are under way.

    A reply that its asker could not use is forgotten in the job's files: a job that goes on asks again, this one does
    not. Until `trust` is called, replies that were not `read` can be forgotten together.
    It belongs to one event loop: `read`, `unusable` and `forget_unread` are called there, too.
    files: of the job; None if it keeps no replies.
    """

    def __init__(
        self, name: str, identity: Mapping[str, Any], use: CassetteUse | None, files: ReplyFiles | None
    ) -> None:
        """Open the cassettes. Raises UserError if the recipe's cassette cannot be used."""
        self._identity = identity
        self._use = use
        self._under_way: dict[str, asyncio.Future[Reply | None]] = {}
        self._store = KeptReplies(name, use, files)
        self.kept_in = self._store.kept_in
        """The file that new answers are written to; None if they are not kept."""
        self._keeps = self.kept_in is not None
        self._open: dict[int, tuple[Reply, str]] = {}  # id of a reply -> the reply, which keeps the id, and its key
        self._read: dict[int, tuple[Reply, str]] = {}  # the same, of those that an asker could use
        self._unusable: dict[str, Reply] = {}
        self._forgotten = 0
        self._trusted = False

    @property
    def strict(self) -> bool:
        """Whether only the cassette may answer."""
        return self._use is not None and self._use.mode == "strict"

    @property
    def replays(self) -> bool:
        """Whether kept answers are replayed before any call."""
        return self._use is not None and self._use.mode != "record"

    async def get(self, ask: Ask, call: Callable[[Ask], Awaitable[Reply]]) -> tuple[Reply, bool]:
        """Return (the reply, whether it took no call of its own). Raises JobError if a new answer cannot be kept.

        Equal questions wait for the reply of the first one; if that is cancelled, one of them goes on in its place.
        """
        key = question_key(self._identity, ask)
        if (reply := self._unusable.get(key)) is not None:
            return reply, True
        while (leader := self._under_way.get(key)) is not None:
            if (reply := await asyncio.shield(leader)) is not None:
                return reply, True
        leading = self._under_way[key] = asyncio.get_running_loop().create_future()
        reply = None
        try:
            reply = self._store.find(key)
            reused = reply is not None and reply.error is None
            if reply is None:
                reply = await call(ask)
                if reply.error is None and self._keeps:
                    model = redact(str(self._identity.get("model", "")))
                    reply = self._store.add(key, model, ask.draw, reply)
            if reply.error is None:
                self._note(key, reply)
        finally:
            del self._under_way[key]
            if not leading.done():
                leading.set_result(reply)
        return reply, reused

    def read(self, reply: Reply) -> None:
        """Note that an asker could use a reply."""
        if (known := self._open.pop(id(reply), None)) is not None:
            _add(self._read, known, MAX_READ)

    def unusable(self, reply: Reply) -> None:
        """Forget a reply that an asker could not use, for the jobs that follow. Raises JobError if that fails.

        Also if another asker could use it: a critique is asked for once and read by several. A recipe's cassette keeps
        it: its replay gives the same bytes.
        """
        known = self._open.pop(id(reply), None) or self._read.pop(id(reply), None)
        if known is None or len(self._unusable) >= MAX_UNUSABLE:
            return
        key = known[1]
        self._unusable[key] = reply
        if self._keeps:
            self._forgotten += self._store.forget([key], recorded=False)

    def trust(self) -> None:
        """Note that most replies can be read, so that `forget_unread` forgets none."""
        self._trusted = True

    def forget_unread(self) -> int:
        """Forget the kept replies that were not read, keep no more, and return how many at most."""
        unread = [] if self._trusted else [*(key for _, key in self._open.values()), *self._unusable]
        self._open.clear()
        keeps, self._keeps = self._keeps, False
        return self._forgotten + self._store.forget(unread, recorded=True) if keeps else 0

    def _note(self, key: str, reply: Reply) -> None:
        if self._keeps:
            _add(self._open, (reply, key), MAX_OPEN)

    def close(self) -> None:
        """Close the cassettes; calling it again does nothing."""
        self._store.close()


def _add(replies: dict[int, tuple[Reply, str]], known: tuple[Reply, str], limit: int) -> None:
    """Add a reply with its key, and drop the oldest one above a limit."""
    replies[id(known[0])] = known
    if len(replies) > limit:
        del replies[next(iter(replies))]


def judge_identity(spec: JudgeSpec, settings: JudgeUse, options: Any) -> dict[str, Any]:
    """Return what decides a judge's answers besides the question, in JSON values."""
    if spec.identity is not None:
        return dict(spec.identity(options))
    kept = {} if options is None else options.model_dump(mode="json")
    return {"model": settings.use, "params": {k: v for k, v in kept.items() if not k.endswith("_env")}}
