"""The file of an inspect_ai log: what it says of its evaluation, and its samples, of which memory holds one question's.

`.eval` is a zip of one JSON for each sample (`samples/ID_epoch_N.json`) and `header.json`; `.json` is one object with
`eval` and `samples`. Source: inspect_ai/log/_recorders, version 0.3.285.
"""

import mmap
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from rewardlab.data import MAX_BYTES, kind_of, open_packed, parse_row, too_long
from rewardlab.errors import Problem, UserError, one_line

ZSTD = "its parts are compressed by zstd, which Python reads from 3.14 on: pip install backports.zstd"
MAX_LOG = 4 << 30
"""bytes of a log's parts, unpacked, that are read: a zip of a megabyte can hold what no disk does"""
_MEMBER = re.compile(r"samples/(.+)_epoch_\d+\.json", re.DOTALL)
_SIGN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)

Part = Callable[[], dict[str, Any] | Problem]
"""reads one sample, or says what is wrong with it"""


@contextmanager
def open_log(path: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, list[Part]]]]:
    """Give (what a log says of its evaluation, the samples of each question).

    Raises UserError if the file is not a log.
    """
    with (_opened_zip if path.endswith(".eval") else _opened_json)(path) as (header, questions):
        evaluation = header if isinstance(header, Problem) else header.get("eval")
        if not isinstance(evaluation, Mapping):
            why = evaluation.what if isinstance(evaluation, Problem) else f"its `eval` is {kind_of(evaluation)}"
            raise no_log(path, why)
        yield evaluation, questions


def no_log(path: str, why: str) -> UserError:
    """Return the error for a file that is not a log."""
    return UserError(f"is not a readable log of inspect_ai: {why}", where=path)


@contextmanager
def open_members(path: str) -> Iterator["Members"]:
    """Give the parts of a `.eval`. Raises UserError if it is no zip."""
    open_packed(path).close()
    try:
        parts = _zip_library().ZipFile(path)
    except Exception as error:  # of a broken zip each library has errors of its own
        raise no_log(path, one_line(error)) from None
    with parts:
        yield Members(parts, path)


@contextmanager
def _opened_zip(path: str) -> Iterator[tuple[Any, dict[str, list[Part]]]]:
    with open_members(path) as members:
        questions: dict[str, list[Part]] = {}
        for name in members.names:
            if name.startswith("samples/"):
                match = _MEMBER.fullmatch(name)
                questions.setdefault(match[1] if match else name, []).append(partial(members.row, name))
        yield members.row("header.json"), questions


class Members:
    """The members of a zip, of which no more than MAX_LOG bytes are unpacked, whatever sizes it states."""

    def __init__(self, parts: zipfile.ZipFile, path: str) -> None:
        self._parts, self._path, self._left = parts, path, MAX_LOG
        self.names = [*dict.fromkeys(parts.namelist())]

    def row(self, name: str) -> dict[str, Any] | Problem:
        """Return a member's object, or what is wrong with it. Raises UserError if the log is too large."""
        content = self.content(name)
        return content if isinstance(content, Problem) else _row(content, f"{self._path}: {name}")

    def content(self, name: str) -> bytes | Problem:
        """Return what a member holds, of which no more is read than a sample may have, or why it cannot be read."""
        place = f"{self._path}: {name}"
        try:
            with self._parts.open(name) as file:
                content = file.read(min(MAX_BYTES, self._left) + 1)
        except (NotImplementedError, MemoryError) as error:
            raise UserError(ZSTD if isinstance(error, NotImplementedError) else one_line(error), self._path) from None
        except Exception as error:  # a member that is missing, or damaged, in the words of each library
            return Problem(where=place, what=f"cannot be unpacked: {one_line(error)}")
        self._left -= len(content)
        if self._left < 0:
            problem = (
                f"holds more than {MAX_LOG >> 20:,} MB, unpacked, and is not read; evaluate fewer samples in one log"
            )
            raise UserError(problem, where=self._path)
        kind = "sample" if name.startswith("samples/") else "part"
        return Problem(where=place, what=too_long(kind)) if len(content) > MAX_BYTES else content


def _zip_library() -> Any:
    """Return the module that reads zips: the standard library's, which knows zstd from 3.14 on, or backports.zstd's."""
    if sys.version_info < (3, 14):
        try:  # not by `backports.zstd`: setuptools puts another package of the name `backports` in its place
            from backports.zstd import zipfile as with_zstd
        except ImportError:
            return zipfile
        return with_zstd
    return zipfile


@contextmanager
def _opened_json(path: str) -> Iterator[tuple[Any, dict[str, list[Part]]]]:
    with open_packed(path) as file:
        try:
            text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (ValueError, OSError) as error:  # an empty file, or a pipe
            raise no_log(path, one_line(error)) from None
        with text:
            begin = _first(text, 0, b"{", path)
            members = {}
            for start, end in _items(text, begin, path):
                key, _, _ = text[start : min(end, start + 80)].partition(b":")
                members[key.strip().strip(b'"')] = start + len(key) + 1, end
            if b"eval" not in members or b"samples" not in members:
                raise no_log(path, "it has no `eval` or no `samples`")
            start, end = members[b"eval"]
            header = _row(b'{"eval": ' + text[start : min(end, start + MAX_BYTES)] + b"}", path)
            yield header, _json_questions(text, _first(text, members[b"samples"][0], b"[", path), path)


def _json_questions(text: mmap.mmap, begin: int, path: str) -> dict[str, list[Part]]:
    """Return the samples by their ids; they are parsed for these, and again when they are asked for."""
    questions: dict[str, list[Part]] = {}
    for number, (start, end) in enumerate(_items(text, begin, path), 1):

        def part(start: int = start, end: int = end, number: int = number) -> dict[str, Any] | Problem:
            return _row(text[start : min(end, start + MAX_BYTES + 1)], f"{path}: sample {number}")

        sample = part()
        own = f"\0{number}" if isinstance(sample, Problem) else str(sample.get("id"))
        questions.setdefault(own, []).append(part)
    return questions


def _row(content: bytes, place: str) -> dict[str, Any] | Problem:
    if len(content) > MAX_BYTES:
        return Problem(where=place, what=too_long("sample"))
    return parse_row(content, place, nan_is_null=True)


def _first(text: mmap.mmap, start: int, sign: bytes, path: str) -> int:
    """Return where a value begins whose first sign this is."""
    match = re.compile(rb"\s*+(?:\xef\xbb\xbf)?").match(text, start)
    at = match.end() if match else start
    if text[at : at + 1] != sign:
        raise no_log(path, "an object with `eval` and a list of `samples` is needed")
    return at


def _items(text: mmap.mmap, begin: int, path: str) -> Iterator[tuple[int, int]]:
    """Yield where each item begins and ends of the list or object that begins here."""
    depth, start = 0, begin + 1
    for match in _SIGN.finditer(text, begin):
        sign = text[match.start() : match.start() + 1]
        depth += (sign in b"[{") - (sign in b"]}")
        if depth == 0 or (depth == 1 and sign == b","):
            if text[start : min(start + 80, match.start())].strip() or sign == b",":
                yield start, match.start()
            start = match.end()
        if depth == 0:
            return
    raise no_log(path, "it ends in the middle; is the file complete?")
