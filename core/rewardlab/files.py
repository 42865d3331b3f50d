"""Files that survive a kill and a full disk: appended lines, whole files and folders, locks, the cache folder."""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from rewardlab.errors import JobError, UserError, name_target
from rewardlab.scratch_file import scratch_file

__all__ = [
    "FileLock",
    "LineAppender",
    "Record",
    "cache_dir",
    "cut_torn_line",
    "expanded",
    "is_held",
    "line_start",
    "parse_json",
    "read_json",
    "read_record",
    "sha256_of",
    "write_json",
    "write_text",
]

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_BLOCK = 1 << 16
Record = TypeVar("Record", bound="DataclassInstance")


class LineAppender:
    """A file to which whole lines are appended, by one writer at a time.

    A last line without an end, as a kill leaves it, is cut off first. A line that does not fit on the disk is taken
    back; the lines before it stay whole.
    """

    def __init__(self, path: Path, new: bool = False) -> None:
        """Open the file, making it if it is missing. new: raise a UserError if it is there, whoever made it when."""
        self._path = path
        try:
            if not new:
                cut_torn_line(path)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL * new, 0o644)
        except FileExistsError:
            raise UserError("exists already; give -o another name", where=str(path)) from None
        self._size = os.fstat(self._file).st_size

    def write(self, line: bytes) -> None:
        """Append one line. Raises JobError if it cannot be written, for example for lack of room."""
        rest = memoryview(line)
        try:
            while rest:  # a full disk accepts a part before it refuses
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with suppress(OSError):  # if it cannot be taken back, --resume cuts off the torn line
                os.ftruncate(self._file, self._size)
            raise JobError(f"{self._path} cannot be written: {error.strerror}") from error
        self._size += len(line)

    @property
    def size(self) -> int:
        """Bytes that the file has."""
        return self._size

    def cut(self, size: int) -> None:
        """Take back what stands behind the first `size` bytes. A JobError if the disk refuses."""
        try:
            os.ftruncate(self._file, size)
        except OSError as error:
            raise JobError(f"{self._path} cannot be written: {error.strerror}") from error
        self._size = size

    def close(self) -> None:
        """Sync the file to the disk and close it; calling it again does nothing."""
        if self._file >= 0:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1


def cut_torn_line(path: Path) -> None:
    """Cut off a last line that has no newline, as a kill or a crash can leave it. A missing file is left alone."""
    if not path.exists():
        return
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        end = line_start(file, size)
        if end < size:
            file.truncate(end)


def line_start(file: BinaryIO, end: int) -> int:
    """Return where the line begins that holds the byte before `end`."""
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def expanded(path: Path | str) -> Path:
    """Return the path with a leading ~ or ~user as that home folder; of a user that nobody knows it stays as it is."""
    return Path(os.path.expanduser(path))


def sha256_of(path: Path | str) -> str:
    """Return the SHA-256 of a file's bytes, as hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def parse_json(text: str | bytes) -> Any:
    """Return JSON values. Raises ValueError if the text holds none, or is nested too deeply to be read."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_json(path: Path) -> Any:
    """Return the JSON values in a file. Raises OSError, and ValueError as `parse_json` does."""
    return parse_json(path.read_text(encoding="utf-8"))


def read_record(path: Path, kind: "type[Record]") -> "Record":
    """Return a dataclass that `write_json` wrote. JobError if it is damaged, OSError if it is unreadable."""
    from pydantic import ValidationError

    try:
        content = read_json(path)
        if isinstance(content, dict) and (unknown := sorted({*content} - {f.name for f in fields(kind)})):
            raise ValueError(f"it has {unknown[0]!r}, which nothing wrote")
        record: Record = _adapter(kind).validate_python(content)
        return record
    except ValidationError as error:
        first = error.errors()[0]
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}".removeprefix(": ")
    except ValueError as error:
        why = str(error)
    raise JobError(f"{path} is damaged ({why}); move it away to go on without it")


@cache  # it takes longer to make than a record to read, and usage is read whenever a judge is opened
def _adapter(kind: type) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def write_json(path: Path, content: Any) -> None:
    """Write JSON values to a file, whole or not at all, as `write_text` does."""
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def write_text(path: Path, text: str | Iterable[str]) -> None:
    r"""Write a text, or its pieces, to a file, whole or not at all: a kill or a full disk leaves an earlier file there.

    Of several writers at once the last one wins. What a killed one left is used by the next. A lone surrogate, which no
    file can hold, is written as its escape, such as \ud800.
    """
    scratch, number = scratch_file(path)
    try:
        with open(number, "w", encoding="utf-8", errors="backslashreplace") as file:  # which is ours until it is closed
            try:
                file.truncate()
                file.writelines([text] if isinstance(text, str) else text)
                file.flush()
                os.fsync(file.fileno())
                scratch.replace(path)
            except BaseException:
                scratch.unlink(missing_ok=True)
                raise
    except OSError as error:
        name_target(error, scratch, path)
        raise


class FileLock:
    """A lock (flock) on a file, held until `close` or the end of the process, however it ends."""

    def __init__(self, path: Path, wait: bool = False) -> None:
        """Take the lock. Raises BlockingIOError if another process holds it, JobError if the file system has none.

        wait: until another process holds it no more.
        """
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._take(wait)
        except BlockingIOError:
            self.close()
            raise
        except OSError as error:
            self.close()
            problem = (
                f"this file system gives no lock ({error.strerror}); name a folder on another, such as a local disk"
            )
            raise JobError(f"{path}: {problem}") from error

    def _take(self, wait: bool) -> None:
        """Take the lock. One that is held is tried again: somebody may just look whether it is (`is_held`)."""
        for again in (True, True, False):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if not again:
                    raise
                time.sleep(0.02)  # in which it has long looked

    def fileno(self) -> int:
        """Return the lock's file descriptor; a child process that inherits it also holds the lock."""
        return self._file

    def close(self) -> None:
        """Release the lock; calling it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def is_held(path: Path) -> bool:
    """Return whether a process holds the FileLock on a file, which need not be there and may be read-only.

    Raises OSError if the file cannot be opened, or its file system has no locks. Any number of processes may look at a
    time: none of them takes another for the holder.
    """
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def cache_dir() -> Path:
    """Return the folder for files that can be made again: $XDG_CACHE_HOME/rewardlab, else ~/.cache/rewardlab.

    The variable counts only if it is an absolute path. Raises UserError if the user has no home folder either.
    """
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return Path(named) / "rewardlab"
    try:
        return Path.home() / ".cache" / "rewardlab"
    except RuntimeError as error:
        raise UserError("this user has no home folder to keep files in; set XDG_CACHE_HOME") from error
