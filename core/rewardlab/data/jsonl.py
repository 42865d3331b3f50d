"""JSON lines: the rows of a file, one by one, and what is wrong with those that cannot be read."""

import json
import os
import zlib
from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from io import BufferedIOBase
from typing import Any

from rewardlab.errors import Problem, UserError

MAX_LISTED = 20
"""different causes that are told of the bad rows of a file"""
_BOM = b"\xef\xbb\xbf"


def read_lines(path: str | os.PathLike[str], any_text: bool = False) -> Generator[tuple[int, dict[str, Any] | Problem]]:
    """Yield (line number from 1, the row or what is wrong with it) for each line that is not blank, streaming.

    The file is UTF-8, with or without a byte order mark, with one JSON object a line; a name in .gz is unpacked. A row
    is also wrong if it has NaN or an infinity, a key twice in one object, or half a surrogate pair. any_text: lets the
    latter pass, as a model can write them.

    Raises UserError at once if the file cannot be opened, later if it cannot be read to its end.
    """
    path = os.fspath(path)
    return _read_rows(open_packed(path), path, any_text)


def refuse_stream(path: str) -> None:
    """Raise UserError if this is a pipe or a device, whose lines can be read only once."""
    if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
        raise UserError("rows are read twice; name a regular file", where=path)


def open_packed(path: str) -> BufferedIOBase:
    """Open a file to read its bytes, unpacked where its name ends in .gz. Raises UserError where it cannot be."""
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
        raise UserError(f"cannot be opened: {_os_reason(error)}", where=path) from error


def _read_rows(file: BufferedIOBase, path: str, any_text: bool) -> Generator[tuple[int, dict[str, Any] | Problem]]:
    number = 0
    try:
        with file:
            for line in file:
                number += 1
                if number == 1:
                    line = line.removeprefix(_BOM)
                if line.strip():
                    yield number, _row_or_problem(line, f"{path}:{number}", any_text)
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"cannot be read: {_os_reason(error)}", where=f"{path}:{number + 1}") from error


def _os_reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _row_or_problem(line: bytes, place: str, any_text: bool) -> dict[str, Any] | Problem:
    try:
        return _parse(line, any_text)
    except RecursionError:
        return Problem(where=place, what="the JSON is nested too deeply")
    except ValueError as error:
        return Problem(where=place, what=str(error))


def _parse(line: bytes, any_text: bool) -> dict[str, Any]:
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
        raise ValueError(_describe_syntax_error(error, text)) from None
    if not isinstance(row, dict):
        raise ValueError(f"found {kind_of(row)}; one object a line is needed")
    if not any_text and ("\\ud" in text or "\\uD" in text):
        _refuse_lone_surrogates(row)
    return row


def _describe_syntax_error(error: json.JSONDecodeError, text: str) -> str:
    if error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()):
        return f"the JSON is cut off at column {len(text.rstrip()) + 1}; one whole object a line is needed"
    if error.msg == "Extra data":
        return f"more follows the JSON value at column {error.colno}; one object a line is needed"
    what = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
    return f"not JSON: {what} at column {error.colno}"


def _object_of_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
        raise ValueError(f"the key {twice[0]!r} appears twice in one object")
    return row


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number; write null if there is no value")


def _finite_number(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_of_unique_keys, parse_constant=_refuse_constant, parse_float=_finite_number
)


def _refuse_lone_surrogates(row: dict[str, Any]) -> None:
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise ValueError(f"a text holds {half}, half of a surrogate pair, which is not a character") from None


@dataclass
class BadRows:
    """The bad rows of a file: the first 20 causes, each with its first row and how many have it; the count of all."""

    count: int = 0
    _first: dict[str, Problem] = field(default_factory=dict, repr=False)
    _times: Counter[str] = field(default_factory=Counter, repr=False)

    def add(self, problem: Problem) -> None:
        """Count a bad row, and list what is wrong with it if that is listed already or there is room."""
        self.count += 1
        if problem.what in self._first or len(self._first) < MAX_LISTED:
            self._first.setdefault(problem.what, problem)
            self._times[problem.what] += 1

    @property
    def listed(self) -> list[Problem]:
        """The listed causes, each once: its first row, and how many rows have it where it is not the only one."""
        return [_told_once(problem, self._times[what]) for what, problem in self._first.items()]

    def error(self, path: str, advice: str) -> UserError:
        """Return one error with the listed problems, the number of all, and what to do."""
        rows = "1 bad row" if self.count == 1 else f"{self.count} bad rows"
        shown = f", the first {MAX_LISTED} causes are listed" if self.count > self._times.total() else ""
        return UserError([*self.listed, Problem(where=path, what=f"{rows}{shown}; {advice}")])


def _told_once(problem: Problem, times: int) -> Problem:
    return problem if times == 1 else replace(problem, what=f"{problem.what} ({times} rows, this is the first)")


def kind_of(value: Any) -> str:
    """Return what people call a JSON value, for a message: "null", "the number 5", "a text", "a list", "an object"."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return f"the number {str(value)[:40]}"
    for types, name in ((str, "a text"), ((list, tuple), "a list"), (Mapping, "an object")):
        if isinstance(value, types):
            return name
    return f"a {type(value).__name__}"
