"""JSON lines: the rows of a file, one by one, and what is wrong with those that cannot be read."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from rewardlab.errors import Problem, UserError
from rewardlab.text import counted

MAX_LISTED = 20
"""maximum number of different causes listed for the bad rows of a file"""
MAX_BYTES = 1 << 26
"""the largest row; with what comes with it, it takes some ten times as much memory"""
MAX_VALUES = 1 << 22
"""the most values of a row, by brackets, braces and commas: [[],[], ... takes twenty times the memory of its text"""
MAX_NAME_LENGTH = 80
"""characters of a key or column that a message shows"""
BLOCK = 1 << 16
BOM = b"\xef\xbb\xbf"


def json_lines(
    file: BinaryIO, path: str, any_text: bool = False, nan_is_null: bool = False
) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """Yield (line number, the row or what is wrong with it) for each line of an open file that is not blank.

    Args:
        any_text: half a surrogate pair is not a mistake, since a model can write one.
        nan_is_null: nor is a number that is none, such as NaN, by which other tools say that there is no score.
    """
    for number, line in enumerate(bounded_lines(file), 1):
        if number == 1:
            line = line.removeprefix(BOM)
        if line.strip():
            yield number, parse_row(line, f"{path}:{number}", any_text, nan_is_null)


def bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield each line of a file; of one that is too long only the beginning, which is longer than MAX_BYTES.

    A kilobyte of gzip can hold a line of a megabyte, and a megabyte one that no memory holds.
    """
    for line, _ in measured_lines(file):
        yield line


def measured_lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield each line as `bounded_lines` does, with its real length in bytes."""
    while line := file.readline(MAX_BYTES + 1):
        size = len(line)
        if size > MAX_BYTES:
            while not line.endswith(b"\n") and (more := file.readline(BLOCK)):
                size += len(more)
                if more.endswith(b"\n"):
                    break
        yield line, size


def too_long(form: str) -> str:
    """Return what is wrong with a row that is longer than MAX_BYTES. form: what it is in its file, such as "line"."""
    return f"this {form} is longer than {MAX_BYTES >> 20} MiB, the limit for a row; is it one row?"


def parse_row(text: bytes, place: str, any_text: bool = False, nan_is_null: bool = False) -> dict[str, Any] | Problem:
    """Return the row that a line's bytes hold, or what is wrong with it, at `place`; flags as of `json_lines`."""
    if len(text) > MAX_BYTES:
        return Problem(where=place, what=too_long("line"))
    try:
        return _parse(text, any_text, nan_is_null)
    except RecursionError:
        return Problem(where=place, what="the JSON is nested too deeply")
    except ValueError as error:
        return Problem(where=place, what=str(error))


def _parse(line: bytes, any_text: bool, nan_is_null: bool) -> dict[str, Any]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
        raise ValueError(f"not UTF-8: {byte}; save the file as UTF-8") from None
    if text.lstrip().startswith("["):
        raise ValueError("this looks like a JSON array; write one object per line, or call the file .json")
    try:
        row = json_values(text, RECORDS if nan_is_null else DECODER)
    except json.JSONDecodeError as error:
        raise ValueError(_describe_syntax_error(error, text)) from None
    if not isinstance(row, dict):
        raise ValueError(f"found {kind_of(row)}; each line must be one JSON object")
    if not any_text and ("\\ud" in text or "\\uD" in text):
        _refuse_lone_surrogates(row)
    return row


def json_values(text: str, decoder: json.JSONDecoder | None = None) -> Any:
    """Return the values of a JSON text whose every value counts: a key stands once, and numbers are finite.

    Raises ValueError for another text, or for more than MAX_VALUES values, and RecursionError for deep ones.
    """
    if len(text) > MAX_VALUES and sum(map(text.count, "[{,")) > MAX_VALUES:
        raise ValueError(f"this row has more than {MAX_VALUES:,} values, the limit for a row; is it one row?")
    return (decoder or DECODER).decode(text)


def _describe_syntax_error(error: json.JSONDecodeError, text: str) -> str:
    if error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()):
        return f"the JSON is cut off at column {len(text.rstrip()) + 1}; each line must be one whole JSON object"
    if error.msg == "Extra data":
        return f"more follows the JSON value at column {error.colno}; each line must be one JSON object"
    reason, rest = error.msg[0].lower() + error.msg[1:].removesuffix(" at"), text[error.pos :]
    is_python = rest.startswith("'") or rest.startswith(("None", "True", "False"))
    hint = "; this is Python's notation, and json.dumps writes JSON" if is_python else ""
    return f"not JSON: {reason} at column {error.colno}{hint}"


def _object_of_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
        raise ValueError(f"the key {shown_name(twice[0])} appears twice in one object")
    return row


def shown_name(name: str) -> str:
    """Return a key's or column's name in quotes for a message: of a long one the first 80 characters."""
    return repr(name) if len(name) <= MAX_NAME_LENGTH else f"{name[:MAX_NAME_LENGTH]!r}..."


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number; write null if there is no value")


def _finite_number(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def _number_or_null(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


DECODER = json.JSONDecoder(
    object_pairs_hook=_object_of_unique_keys, parse_constant=_refuse_constant, parse_float=_finite_number
)
RECORDS = json.JSONDecoder(
    object_pairs_hook=_object_of_unique_keys, parse_constant=lambda _: None, parse_float=_number_or_null
)
"""how to read what other tools recorded, where a number that is none says that there is no value"""


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
        """The listed causes, each once with its first row and, if there are several, the number of rows."""
        return [_with_times(problem, self._times[cause]) for cause, problem in self._first.items()]

    def error(self, path: str, advice: str) -> UserError:
        """Return one error with the listed problems, the number of all, and what to do."""
        rows = "1 bad row" if self.count == 1 else f"{self.count} bad rows"
        shown = f", the first {MAX_LISTED} causes are listed" if self.count > self._times.total() else ""
        return UserError([*self.listed, Problem(where=path, what=f"{rows}{shown}; {advice}")])

    def refuse(
        self,
        path: str,
        good: int,
        purpose: str,
        skip_bad: bool,
        say: Callable[[str], None],
        more: Sequence[Problem] = (),
    ) -> None:
        """Raise a UserError for bad rows, unless `skip_bad` leaves them out with a warning, and if no good one is left.

        Args:
            good: how many rows there are beside the bad ones.
            purpose: of the rows, such as "to score".
            more: what else is wrong, which is raised together with bad rows.
        """
        if self.count and not skip_bad:
            raise UserError([*self.error(path, "fix them, or leave them out with --skip-bad").problems, *more])
        if not good:
            emptiness = f"no row is left {purpose}" if self.count else "it has no rows"
            raise UserError([*self.listed, Problem(where=path, what=emptiness)])
        for problem in self.listed:
            say(f"warning: {problem}")
        if self.count:
            say(f"warning: {path}: {counted(self.count, 'bad row')} left out")


def _with_times(problem: Problem, times: int) -> Problem:
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
