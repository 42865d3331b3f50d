"""The replies of a judge that are in files: the recipe's cassette, and the files of the job."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rewardlab.files import expanded
from rewardlab.judging.cassette import Cassette
from rewardlab.judging.share import WHOLE, Share
from rewardlab.recipe.use import CassetteUse, JudgeUse
from rewardlab.specs import JudgeSpec
from rewardlab.types import Reply


@dataclass(frozen=True, kw_only=True)
class ReplyFiles:
    """A job's files of one judge's replies: `own` takes new ones, `earlier` are only searched."""

    own: Path
    earlier: Sequence[Path] = ()


def reply_files(
    folder: Path, name: str, spec: JudgeSpec, use: JudgeUse, options: Any, share: Share = WHOLE
) -> ReplyFiles:
    """Return the files in `folder` of a process that asks a judge; those of other parts of it are searched, too.

    Servers at different addresses have different files, so that a job that goes on with another server asks that one;
    with `reuse: same_model` all are searched.
    """
    address = {option: getattr(options, option, None) for option in spec.address}
    server = f"@{_digest(address)}" if address and use.reuse == "same_server" else ""
    own = folder / f"{quote(name, safe=' ')}{server}{share.file_mark}.answers.jsonl"
    files = files_of_judge(folder, name, server) if use.reuse == "same_server" else files_of_judge(folder, name)
    return ReplyFiles(own=own, earlier=[path for path in files if path != own])


def files_of_judge(folder: Path, name: str, servers: str = "(@[0-9a-f]{12})?") -> list[Path]:
    """Return the files of one judge's replies in `folder`, of any number of processes; of any server, if none given."""
    pattern = re.compile(rf"{re.escape(quote(name, safe=' '))}{servers}(\.\d+-of-\d+)?\.answers\.jsonl")
    return sorted(path for path in folder.glob("*") if pattern.fullmatch(path.name))


def _digest(address: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(address, sort_keys=True, default=str).encode()).hexdigest()[:12]


class KeptReplies:
    """The files of one judge's replies. A recipe's cassette is searched first.

    New replies go into it in mode record; without a cassette, or in mode replay, they go into the job's own file, if
    there is one.
    """

    def __init__(self, name: str, use: CassetteUse | None, files: ReplyFiles | None) -> None:
        """Open the files. Raises UserError if the recipe's cassette cannot be used."""
        self._name = name
        self.use = use
        self._cassettes: list[Cassette] = []
        self._writable: Cassette | None = None
        if use is not None:
            self._cassettes.append(Cassette(expanded(use.path), write=use.mode == "record"))
            self._writable = self._cassettes[0] if use.mode == "record" else None
        if files is not None and (use is None or use.mode == "replay"):
            self._writable = Cassette(files.own)
            self._cassettes += [self._writable, *map(Cassette, files.earlier)]
        self._own = [
            cassette
            for cassette in self._cassettes
            if use is None or use.mode == "record" or cassette is not self._cassettes[0]
        ]

    @property
    def kept_in(self) -> Path | None:
        """The file that new replies are written to; None if they are not kept."""
        return self._writable.path if self._writable is not None else None

    def find(self, key: str) -> Reply | None:
        """Return the reply with this key; one with an error if the cassette alone may answer, and has none."""
        for cassette in self._cassettes:
            if (reply := cassette.find(key)) is not None:
                return reply
        if self.use is not None and self.use.mode == "strict":
            return Reply(error=f"judge {self._name!r}: the cassette {self.use.path} has no answer to this question")
        return None

    def add(self, key: str, model: str, draw: int, reply: Reply) -> Reply:
        """Keep a reply and return the one that is kept now. Raises JobError if it cannot be kept."""
        return reply if self._writable is None else self._writable.add(key, model, draw, reply)

    def forget(self, keys: Iterable[str], recorded: bool) -> int:
        """Forget kept replies of the job's files, and return how many there were.

        recorded: also those of the recipe's cassette in mode record; in other modes it forgets nothing.
        """
        keys = list(keys)
        own = self._own if recorded or self.use is None or self.use.mode != "record" else ()
        return sum(cassette.forget(keys) for cassette in own)

    def close(self) -> None:
        """Close the files; calling it again does nothing."""
        for cassette in self._cassettes:
            cassette.close()
        self._cassettes, self._own, self._writable = [], [], None
