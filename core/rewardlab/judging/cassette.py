"""Cassettes: the answers of a judge, kept in a file and found again by what was asked.

A cassette is a JSONL file, one answer a line: {"key", "reply", "model", "draw"}. The key is the sha256 of model,
messages, parameters and draw; errors are never kept, and neither are the messages or the key of a server. A line
{"key", "forgotten": true} takes the answer before it back, so that the question is asked again. Several processes may
read and append at the same time: a process that appends holds a lock, and if another one has written an answer to the
same question meanwhile, it uses that one, so that a replay finds what everybody used. A line torn by a kill is
ignored.
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, UserError, one_line
from rewardlab.files import parse_json
from rewardlab.types import Ask, Reply

HEX = 64
START = b'{"key": "'
BEGINNINGS = (START[:2], b"{\n" + START[:2])
"""beginnings of a first line, also of one that was torn after its first byte"""
KEY = slice(len(START), len(START) + HEX)
END = re.compile(rb', "draw": \d+\}\n\Z')
"""no torn line contains it: within a text its quotes are escaped"""
MAX_END_LENGTH = 64
BLOCK = 1 << 20
LENGTH_BITS = 26  # a line's start and length are packed into one number; no answer has 64 MB
REPLY_FIELDS = tuple(field.name for field in fields(Reply) if field.name != "refused")  # which is not kept
_encoded = json.JSONEncoder(sort_keys=True, default=str).encode


def question_key(identity: Mapping[str, Any], ask: Ask) -> str:
    """Return the SHA-256, 64 hexadecimal digits, of what decides an answer. Parts count only without messages."""
    params = {**identity.get("params", {}), **ask.params}
    question = [[message["role"], message["content"]] for message in ask.messages] or {"parts": dict(ask.parts)}
    others = {name: value for name, value in identity.items() if name != "params"}
    return hashlib.sha256(_encoded([others, question, params, ask.draw]).encode()).hexdigest()


class Cassette:
    """An open cassette. With `write` false the file must exist and is only read.

    Args:
        forgets: false for a reader of what was said: of each key the last answer is found, also one that was taken
            back.
    """

    def __init__(self, path: Path, write: bool = True, forgets: bool = True) -> None:
        """Open the file. Raises UserError if it is to be read and missing, cannot be opened, or is not a cassette."""
        self.path = path
        self._places: dict[bytes, int] = {}
        self._end = 0
        self._forgets = forgets
        try:
            if write:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT if write else os.O_RDONLY, 0o644)
        except OSError as error:
            problem = f"this cassette cannot be {'written' if write else 'read'}: {error.strerror}"
            if isinstance(error, FileNotFoundError) and not write:
                problem = "there is no such cassette; `mode: record` makes one"
            raise UserError(problem, where=str(path)) from error
        try:
            self._read_on()
            self._check()
        except OSError as error:
            self.close()
            raise UserError(f"this cassette cannot be read: {error.strerror}", where=str(path)) from error
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._places)

    def find(self, key: str) -> Reply | None:
        """Return the answer with this key, also one that another process has written since; None if there is none."""
        digest = bytes.fromhex(key)
        if digest not in self._places and os.fstat(self._file).st_size > self._end:
            self._read_on()
        place = self._places.get(digest)
        return None if place is None else self._at(place >> LENGTH_BITS, place & ((1 << LENGTH_BITS) - 1))

    def add(self, key: str, model: str, draw: int, reply: Reply) -> Reply:
        """Keep an answer and return the one that is now kept under its key.

        Raises JobError if the answer is not JSON or the file cannot be written.
        """
        content = {name: value for name in REPLY_FIELDS if (value := getattr(reply, name)) is not None}
        try:
            line = (json.dumps({"key": key, "reply": content, "model": model, "draw": draw}) + "\n").encode()
        except (TypeError, ValueError) as error:
            raise JobError(f"an answer of {model!r} cannot be kept: {one_line(error)}") from error
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            self._catch_up()
            if (earlier := self.find(key)) is not None:
                return earlier
            start, self._end = self._end, self._write(line)
            self._note(bytes.fromhex(key), start, len(line))
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        return reply

    def forget(self, keys: Iterable[str]) -> int:
        """Take answers back, for whoever opens the file from now on, and return how many there were.

        Raises JobError if the file cannot be written.
        """
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            self._catch_up()
            before = len(self)
            for key in keys:
                if self._places.pop(bytes.fromhex(key), None) is not None:
                    self._end = self._write(f"{json.dumps({'key': key, 'forgotten': True})}\n".encode())
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        return before - len(self)

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _check(self) -> None:
        """Raise UserError if the file does not begin like a cassette: nothing is appended to a file of another kind."""
        head = os.pread(self._file, len(START), 0)
        if not (head.startswith(BEGINNINGS) if self._end else START.startswith(head)):
            raise UserError("this is not a cassette", where=str(self.path))

    def _at(self, start: int, length: int) -> Reply:
        line = os.pread(self._file, length, start)
        try:
            return Reply(**parse_json(line)["reply"])
        except (ValueError, LookupError, TypeError) as error:
            raise JobError(f"the cassette {self.path} was changed at byte {start} while it was in use") from error

    def _catch_up(self) -> None:
        """Read to the end, with the lock held, and end a line that a kill has torn."""
        size = os.fstat(self._file).st_size
        if size > self._end:
            self._read_on()
        if size > self._end:
            self._write(b"\n")
            self._read_on()

    def _write(self, line: bytes) -> int:
        """Append all or nothing, with the lock held, and return the size of the file afterwards."""
        size = os.fstat(self._file).st_size
        rest = memoryview(line)
        try:
            while rest:  # a full disk accepts a part before it refuses
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with suppress(OSError):  # if it cannot be taken back, it is a torn line
                os.ftruncate(self._file, size)
            raise JobError(f"the cassette {self.path} cannot be written: {error.strerror}") from error
        return size + len(line)

    def _read_on(self) -> None:
        """Note the places of whole lines that have not been read before."""
        for start, line in self._new_lines():
            self._end = start + len(line)
            is_usual = line.startswith(START) and END.search(line, max(0, len(line) - MAX_END_LENGTH))
            digest = _digest(line[KEY]) if is_usual else self._unusual(line, start)
            if digest is not None:
                self._note(digest, start, len(line))

    def _note(self, digest: bytes, start: int, length: int) -> None:
        """Note the place of an answer; the first line with a key counts."""
        if length < 1 << LENGTH_BITS:
            if not self._forgets:
                self._places.pop(digest, None)
            self._places.setdefault(digest, start << LENGTH_BITS | length)

    def _unusual(self, line: bytes, start: int) -> bytes | None:
        """Return the key of a line that this code would write differently; None for a torn line.

        The answer of a line that says so is forgotten.
        """
        try:
            row = parse_json(line)
        except ValueError:
            return None
        try:
            if row.get("forgotten") is True:
                if self._forgets:
                    self._places.pop(bytes.fromhex(row["key"]), None)
                return None
            Reply(**row["reply"])
            return bytes.fromhex(row["key"])
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            problem = f"byte {start}: not an answer of a cassette: {one_line(error)}"
            raise UserError(problem, where=str(self.path)) from error

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
