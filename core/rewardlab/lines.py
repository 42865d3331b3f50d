"""JSON lines: a file's rows one by one, and what is wrong with those that cannot be read."""

import json
import os
import zlib
from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from io import BufferedIOBase
from typing import Any

from rewardlab.errors import Problem, UserError

LISTED = 20
_BOM = b"\xef\xbb\xbf"


def read_lines(path: str | os.PathLike[str]) -> Generator[tuple[int, dict[str, Any] | Problem]]:
    """(line number from 1, the row or what is wrong with it) for each line that is not blank, streaming.

    UTF-8, with or without a byte order mark; one JSON object a line; a name in .gz is unpacked. Refused,
    besides what is no JSON: NaN and infinities, a key twice in one object, half a surrogate pair.

    Raises UserError at once if the file cannot be opened, later if it cannot be read to its end.
    """
    path = os.fspath(path)
    return _rows(_open(path), path)


def refuse_stream(path: str) -> None:
    """A UserError where this is a pipe or a device, whose lines can be read only once."""
    if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
        raise UserError("rows are read twice; name a regular file", where=path)


def _open(path: str) -> BufferedIOBase:
    try:
        if path.endswith(".gz"):
            import gzip

            return gzip.open(path, "rb")
        return open(path, "rb")
    except FileNotFoundError:
        looked = "" if os.path.isabs(path) else f" in {os.getcwd()}"
        raise UserError(f"no such file{looked}", where=path) from None
    except IsADirectoryError:
        raise UserError("this is a folder; name a file of JSON lines", where=path) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise UserError(f"cannot be opened: {_reason(error)}", where=path) from error


def _rows(file: BufferedIOBase, path: str) -> Generator[tuple[int, dict[str, Any] | Problem]]:
    number = 0
    try:
        with file:
            for line in file:
                number += 1
                if number == 1:
                    line = line.removeprefix(_BOM)
                if line.strip():
                    yield number, _row(line, f"{path}:{number}")
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"cannot be read: {_reason(error)}", where=f"{path}:{number + 1}") from error


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _row(line: bytes, place: str) -> dict[str, Any] | Problem:
    try:
        return _parse(line)
    except RecursionError:
        return Problem(where=place, what="the JSON is nested too deeply")
    except ValueError as error:
        return Problem(where=place, what=str(error))


def _parse(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
        raise ValueError(f"not UTF-8: {found}; save the file as UTF-8") from None
    if text.lstrip().startswith("["):
        raise ValueError("this looks like a JSON array; one object a line is needed")
    try:
        row = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(_syntax(error, text)) from None
    if not isinstance(row, dict):
        raise ValueError(f"found {kind_of(row)}; one object a line is needed")
    if "\\ud" in text or "\\uD" in text:
        _refuse_lone_surrogates(row)
    return row


def _syntax(error: json.JSONDecodeError, text: str) -> str:
    if error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()):
        return f"the JSON is cut off at column {len(text.rstrip()) + 1}; one whole object a line is needed"
    if error.msg == "Extra data":
        return f"more follows the JSON value at column {error.colno}; one object a line is needed"
    what = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
    return f"not JSON: {what} at column {error.colno}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
        raise ValueError(f"the key {twice[0]!r} stands twice in one object")
    return row


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number; write null where there is no value")


def _number(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_number)


def _refuse_lone_surrogates(row: dict[str, Any]) -> None:
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise ValueError(f"a text holds {half}, half of a surrogate pair; it is no character") from None


@dataclass
class BadRows:
    """What is wrong with a file: the first 20 problems, and how many there are in all."""

    listed: list[Problem] = field(default_factory=list)
    count: int = 0

    def add(self, problem: Problem) -> None:
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(problem)

    def error(self, path: str, advice: str) -> UserError:
        """One error with the problems listed, their number, and what to do."""
        rows = "1 bad row" if self.count == 1 else f"{self.count} bad rows"
        shown = f", the first {LISTED} are listed" if self.count > LISTED else ""
        return UserError([*self.listed, Problem(where=path, what=f"{rows}{shown}; {advice}")])


def kind_of(value: Any) -> str:
    """What a JSON value is, as people call it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return f"the number {str(value)[:40]}"
    for types, name in ((str, "a text"), ((list, tuple), "a list"), (Mapping, "an object")):
        if isinstance(value, types):
            return name
    return f"a {type(value).__name__}"
