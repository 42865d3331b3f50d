"""Replies that need no call: kept in cassettes, or on their way to another asker of the same question."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from rewardlab.files import expanded
from rewardlab.judging.cassette import Cassette, question_key
from rewardlab.recipe.use import CassetteUse, JudgeUse
from rewardlab.redaction import redact
from rewardlab.specs import JudgeSpec
from rewardlab.types import Ask, Reply

MOST_UNREAD = 4096
"""answers whose asker has not said yet whether they could be read; the oldest are taken for readable"""


class ReplyCache:
    """The cassettes of one judge, and its questions that are under way.

    A recipe's cassette is searched first. New answers go into it in mode record; without a cassette, or in mode
    replay, they go into the file `kept` of the job, if there is one.

    Until `trust` is called, it remembers which of the kept answers were not `read`, so that they can be forgotten.
    """

    def __init__(self, name: str, identity: Mapping[str, Any], use: CassetteUse | None, kept: Path | None):
        """Open the cassettes. Raises UserError if the recipe's cassette cannot be used."""
        self._name = name
        self._identity = identity
        self._use = use
        self._under_way: dict[str, asyncio.Future[Reply | None]] = {}
        self._cassettes: list[Cassette] = []
        self._writable: Cassette | None = None
        self._unread: dict[str, str] | None = {}  # key -> text
        if use is not None:
            self._cassettes.append(Cassette(expanded(use.path), write=use.mode == "record"))
            self._writable = self._cassettes[0] if use.mode == "record" else None
        if kept is not None and (use is None or use.mode == "replay"):
            self._writable = Cassette(kept)
            self._cassettes.append(self._writable)

    @property
    def kept_in(self) -> Path | None:
        """The file that new answers are written to; None if they are not kept."""
        return self._writable.path if self._writable is not None else None

    @property
    def strict(self) -> bool:
        """Whether only the cassette may answer."""
        return self._use is not None and self._use.mode == "strict"

    @property
    def replays(self) -> bool:
        """Whether kept answers are replayed before any call."""
        return self._use is not None and self._use.mode != "record"

    async def get(self, ask: Ask, call: Callable[[Ask], Awaitable[Reply]]) -> tuple[Reply, bool]:
        """Return (the reply, whether it took no call of its own). Raises JobError if a new answer cannot be kept."""
        key = question_key(self._identity, ask)
        while True:
            if (kept := self._find(key)) is not None:
                self._note(key, kept)
                return kept, True
            if self._use is not None and self.strict:
                why = f"judge {self._name!r}: the cassette {self._use.path} has no answer to this question"
                return Reply(error=why), False
            leader = self._under_way.get(key)
            if leader is None:
                return await self._lead(key, ask, call), False
            reply = await asyncio.shield(leader)
            if reply is not None:
                return reply, True

    async def _lead(self, key: str, ask: Ask, call: Callable[[Ask], Awaitable[Reply]]) -> Reply:
        """Make the call; equal questions wait for its reply, or one of them makes the call if this one is cancelled."""
        leading: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        self._under_way[key] = leading
        reply = None
        try:
            reply = await call(ask)
            if reply.error is None and self._writable is not None:
                reply = self._writable.add(key, redact(str(self._identity.get("model", ""))), ask.draw, reply)
                self._note(key, reply)
        finally:
            del self._under_way[key]
            if not leading.done():
                leading.set_result(reply)
        return reply

    def _find(self, key: str) -> Reply | None:
        for cassette in self._cassettes:
            if (reply := cassette.find(key)) is not None:
                return reply
        return None

    def read(self, reply: Reply) -> None:
        """Note that an answer could be read."""
        if self._unread:
            self._unread = {key: text for key, text in self._unread.items() if text != reply.text}

    def trust(self) -> None:
        """Take every answer for readable from now on."""
        self._unread = None

    def forget_unread(self) -> int:
        """Forget the kept answers that were not read, keep no more, and return how many they were."""
        unread, self._unread = self._unread or {}, None
        writable, self._writable = self._writable, None
        return 0 if writable is None else writable.forget(unread)

    def _note(self, key: str, reply: Reply) -> None:
        if self._unread is not None and self._writable is not None:
            self._unread[key] = reply.text
            if len(self._unread) > MOST_UNREAD:
                del self._unread[next(iter(self._unread))]

    def close(self) -> None:
        """Close the cassettes; calling it again does nothing."""
        for cassette in self._cassettes:
            cassette.close()
        self._cassettes, self._writable = [], None


def judge_identity(spec: JudgeSpec, settings: JudgeUse, options: Any) -> dict[str, Any]:
    """Return what decides a judge's answers besides the question, in JSON values."""
    if spec.identity is not None:
        return dict(spec.identity(options))
    kept = {} if options is None else options.model_dump(mode="json")
    return {"model": settings.use, "params": {k: v for k, v in kept.items() if not k.endswith("_env")}}
