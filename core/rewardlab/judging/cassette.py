"""Answers of a judge kept in a file and found again by what was asked.

A cassette is a JSONL file, one answer a line: {"key", "model", "draw", "reply"}. The key is the sha256 of model,
messages, parameters and draw; errors are never kept, and neither are the messages or any key of a server. Several
processes may read and append at the same time: whoever appends holds a lock and takes an answer that another one
wrote in the meantime for its own, so that a replay finds what everybody used. A line torn by a kill is passed over.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, UserError, one_line
from rewardlab.types import Ask, Reply

HEX = 64
START = b'{"key": "'
KEY = slice(len(START), len(START) + HEX)
BLOCK = 1 << 20
LENGTH_BITS = 26  # of the one number that says where a line is; no answer has 64 MB


def question_key(identity: Mapping[str, Any], ask: Ask) -> str:
    """The sha256, as hex digits, of what decides an answer. Parts count only where there are no messages."""
    params = {**identity.get("params", {}), **ask.params}
    question = [[message["role"], message["content"]] for message in ask.messages] or {"parts": dict(ask.parts)}
    others = {name: value for name, value in identity.items() if name != "params"}
    text = json.dumps([others, question, params, ask.draw], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


class Cassette:
    """An open cassette. `write` false: it must be there and is only read."""

    def __init__(self, path: Path, write: bool = True):
        """A UserError where the file is not there to be read, cannot be opened, or is no cassette."""
        self._path = path
        self._places: dict[bytes, int] = {}
        self._end = 0
        try:
            if write:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT if write else os.O_RDONLY, 0o644)
        except FileNotFoundError:
            raise UserError("there is no such cassette; `mode: record` makes one", where=str(path)) from None
        except OSError as error:
            raise UserError(f"this cassette cannot be opened: {error.strerror}", where=str(path)) from error
        try:
            self._read_on()
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._places)

    def find(self, key: str) -> Reply | None:
        """The answer with this key, also one that another process has written since."""
        place = self._place(key)
        if place is None:
            return None
        line = os.pread(self._file, place & ((1 << LENGTH_BITS) - 1), place >> LENGTH_BITS)
        return Reply(**json.loads(line)["reply"])

    def add(self, key: str, model: str, draw: int, reply: Reply) -> Reply:
        """Keep an answer; what is kept under its key now. A JobError where the disk refuses."""
        content = {name: value for name, value in asdict(reply).items() if value is not None}
        line = json.dumps({"key": key, "model": model, "draw": draw, "reply": content}) + "\n"
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            if (earlier := self.find(key)) is not None:
                return earlier
            self._append(line.encode())
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        return reply

    def close(self) -> None:
        """Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _place(self, key: str) -> int | None:
        digest = bytes.fromhex(key)
        place = self._places.get(digest)
        if place is None and os.fstat(self._file).st_size > self._end:
            self._read_on()
            place = self._places.get(digest)
        return place

    def _append(self, line: bytes) -> None:
        """Called with the lock held and the file read to its last whole line."""
        size = os.fstat(self._file).st_size
        rest = memoryview(line if size == self._end else b"\n" + line)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            os.ftruncate(self._file, size)
            raise JobError(f"the cassette {self._path} cannot be written: {error.strerror}") from error
        self._read_on()

    def _read_on(self) -> None:
        """Note the places of the whole lines that were not read before."""
        for start, line in self._new_lines():
            self._end = start + len(line)
            if len(line) >= 1 << LENGTH_BITS:
                continue
            if line.startswith(START) and line.endswith(b"}}\n"):
                digest = _digest(line[KEY])
            else:
                digest = self._unusual(line, start)
            if digest is not None:
                self._places.setdefault(digest, start << LENGTH_BITS | len(line))

    def _unusual(self, line: bytes, start: int) -> bytes | None:
        """The key of a line that we did not write like this; None for a torn one."""
        try:
            row = json.loads(line)
        except ValueError:
            if start == 0 and not line.startswith(START[:2]):
                raise UserError("this is no cassette", where=str(self._path)) from None
            return None
        try:
            Reply(**row["reply"])
            return bytes.fromhex(row["key"])
        except (TypeError, KeyError, ValueError) as error:
            what = f"byte {start}: no answer of a cassette: {one_line(error)}"
            raise UserError(what, where=str(self._path)) from error

    def _new_lines(self) -> Iterator[tuple[int, bytes]]:
        start, rest = self._end, b""
        while block := os.pread(self._file, BLOCK, start + len(rest)):
            lines = (rest + block).split(b"\n")
            rest = lines.pop()
            for line in lines:
                yield start, line + b"\n"
                start += len(line) + 1


def _digest(key: bytes) -> bytes | None:
    try:
        return bytes.fromhex(key.decode())
    except ValueError:
        return None
