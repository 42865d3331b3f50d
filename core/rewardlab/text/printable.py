"""Print text to a terminal without secrets and without the control characters that could steer it."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, ClassVar, TextIO

from rewardlab.text.redaction import redact, redactor

# all control characters but tab and newline; marks that reorder a line; surrogates, which no stream can encode
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
STDERR = 2
_MOVES = re.compile("(?:\x1b\\[A)+")
"""tqdm's escape sequence to move to the bar above"""


def printable(text: str) -> str:
    r"""Return the text with each character that would steer a terminal written as its escape, such as \x1b."""
    return _STEERING.sub(_escaped, text) if _STEERING.search(text) else text


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x20 else f"\\u{code:04x}"  # what JSON leaves as it is, as JSON would escape it


def _writes_bars(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "tqdm"


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)


class PrintableStream:
    """A text stream that writes what is printable, without secrets, to another; everything else is the other's.

    data: where `print_json` writes while this stands in the place of stdout; None for the other stream.
    """

    above_foot: ClassVar[Callable[[TextIO, str], None] | None] = None
    """writes to a stream what is to stand above the foot of a terminal, while it has one (terminal.py)"""

    def __init__(self, below: TextIO, data: TextIO | None = None) -> None:
        self.below, self.data = below, data or below

    def write(self, text: str) -> int:
        """Write the text, escaped, and return its length.

        Progress bars of libraries stay bars: a text may rewrite its own line, and only tqdm may move between lines.
        """
        kept = len(text) if _MOVES.fullmatch(text) and _writes_bars(sys._getframe(1)) else int(text.startswith("\r"))
        shown = text[:kept] + printable(redact(text[kept:]))
        write = PrintableStream.above_foot or _write
        try:
            write(self.below, shown)
        except OSError as error:
            if isinstance(error, BrokenPipeError) or not is_stderr(self.below):
                raise
            discard(self.below)
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each line."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


def is_stderr(stream: TextIO) -> bool:
    """Return whether a stream writes where a process tells what no other program reads."""
    try:
        return stream.fileno() == STDERR
    except (OSError, ValueError, AttributeError):
        return False


def discard(stream: TextIO) -> None:
    """Discard what a stream holds and will be given, as of notes on a full disk: they end no job whose rows fit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


@contextmanager
def printable_output() -> Iterator[None]:
    """Let everything that is printed in this block be printable and hide secrets, on stdout and on stderr."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (PrintableStream(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def stdout_for_data() -> Iterator[None]:
    """Leave stdout to `print_json` in this block: what else is printed there, such as by a reward, goes to stderr."""
    before = sys.stdout
    data = before.data if isinstance(before, PrintableStream) else before
    sys.stdout = PrintableStream(cursor_stream(), data)
    try:
        yield
    finally:
        sys.stdout = before


def print_json(content: Any, indent: int | None = None) -> None:
    """Print JSON values without the secrets in them; the rest is valid JSON, also if a number was a secret."""
    stream = sys.stdout.data if isinstance(sys.stdout, PrintableStream) else sys.stdout
    is_utf8 = (stream.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(redactor().tree(content), ensure_ascii=not is_utf8, indent=indent)
    print(printable(text), file=stream, flush=True)


def cursor_stream() -> TextIO:
    """Return stderr as it is, for progress that moves the cursor and shows no text of others."""
    return sys.stderr.below if isinstance(sys.stderr, PrintableStream) else sys.stderr
