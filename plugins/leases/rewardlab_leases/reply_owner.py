"""The owner of a part of the kept replies of judges that several processes ask: each question goes to one of them.

A reply belongs to the owner that the hash of its question names, which keeps it in a file of its own. Askers claim a
question before they ask it.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab import Reply
from rewardlab.errors import JobError
from rewardlab.judging import KeptReplies, reply_files
from rewardlab.plan import Component

Asker = tuple[int, str]
"""its number, and what its process is known by: another one after each restart"""
Message = tuple[Any, ...]
"""("claim", judge, key), ("keep", judge, key, model, draw, reply), ("release", judge, key),
("forget", judge, keys, recorded)"""
Answer = Reply | bool | JobError | None
"""of a claim: the reply, True if the asker is to ask, False if another one does; else the kept reply or None"""


def owner_of(key: str, owners: int) -> int:
    """Return the number of the owner of a question's reply, by its key."""
    return int(key[:8], 16) % owners


class ReplyShard:
    """A part of the replies of one judge, and who asks for those that are missing."""

    def __init__(self, kept: KeptReplies) -> None:
        self._kept = kept
        self._askers: dict[str, Asker] = {}

    def claim(self, asker: Asker, key: str) -> Reply | bool:
        """Return the kept reply; True if this asker is to ask, False if another one does so now."""
        if (reply := self._kept.find(key)) is not None:
            return reply
        return self._askers.setdefault(key, asker) == asker

    def keep(self, asker: Asker, key: str, model: str, draw: int, reply: Reply) -> Reply:
        """Keep a reply and return the one that is kept now. Raises JobError if it cannot be kept."""
        try:
            return self._kept.add(key, model, draw, reply)
        finally:
            self.release(asker, key)

    def release(self, asker: Asker, key: str) -> None:
        """Let another one ask."""
        if self._askers.get(key) == asker:
            del self._askers[key]

    def forget(self, keys: Iterable[str], recorded: bool) -> None:
        """Forget kept replies, as KeptReplies does. Raises JobError if that cannot be written."""
        self._kept.forget(keys, recorded)

    def adopt(self, asker: Asker, keys: Iterable[str]) -> None:
        """Note questions that this asker asked before this owner was restarted."""
        for key in keys:
            self._askers[key] = asker

    def free(self, number: int, process: str) -> None:
        """Free the claims of an asker's earlier processes."""
        for key, (one, its) in list(self._askers.items()):
            if one == number and its != process:
                del self._askers[key]

    def close(self) -> None:
        """Close the files; calling it again does nothing."""
        self._kept.close()


class ReplyOwner:
    """One of `count` owners of judges' replies: its part of each judge's. Its calls come from one thread."""

    def __init__(self, shards: Mapping[str, ReplyShard]) -> None:
        self._shards = dict(shards)

    @classmethod
    def open(cls, judges: Mapping[str, Component], folder: Path, number: int, count: int) -> "ReplyOwner":
        """Open the files of owner `number`, also those of runs with another count. UserError as KeptReplies says."""
        opened: dict[str, ReplyShard] = {}
        try:
            for name, judge in judges.items():
                opened[name] = ReplyShard(_open(name, judge, folder, number, count))
        except BaseException:
            for shard in opened.values():
                shard.close()
            raise
        return cls(opened)

    def answer(self, asker: Asker, messages: Sequence[Message]) -> list[Answer]:
        """Return the answer to each message; a JobError in the place of one that could not be carried out."""
        return [self._answer(asker, *message) for message in messages]

    def adopt(self, asker: Asker, claims: Iterable[tuple[str, str]]) -> None:
        """Note the claims, (judge, key), that an asker had with this owner's predecessor."""
        for judge, key in claims:
            self._shards[judge].adopt(asker, [key])

    def free(self, number: int, process: str) -> None:
        """Free the claims of an asker's earlier processes."""
        for shard in self._shards.values():
            shard.free(number, process)

    def close(self) -> None:
        """Close all files; calling it again does nothing."""
        for shard in self._shards.values():
            shard.close()

    def _answer(self, asker: Asker, kind: str, judge: str, *rest: Any) -> Answer:
        shard = self._shards[judge]
        try:
            match kind:
                case "claim":
                    return shard.claim(asker, *rest)
                case "keep":
                    return shard.keep(asker, *rest)
                case "release":
                    shard.release(asker, *rest)
                case _:
                    shard.forget(*rest)
        except JobError as error:
            return error
        except OSError as error:
            return JobError(f"judge {judge!r}: its answers cannot be kept: {error.strerror}")
        return None


def _open(name: str, judge: Component, folder: Path, number: int, count: int) -> KeptReplies:
    folder.mkdir(parents=True, exist_ok=True)
    files = reply_files(folder, name, judge.spec, judge.use, judge.options, number, count)

    def is_ours(digest: bytes) -> bool:
        return int.from_bytes(digest[:4], "big") % count == number

    return KeptReplies(name, judge.use.cassette, files, is_ours if count > 1 else None)
