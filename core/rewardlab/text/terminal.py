"""The foot of a terminal: lines that say how far work is, below all that is printed meanwhile.

Nothing here has a thread: what is shown changes when work reports, or when somebody prints.
"""

import os
import stat
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol, TextIO

from rewardlab.text.printable import PrintableStream, cursor_stream, printable_output

if TYPE_CHECKING:
    from rich.console import RenderableType

REFRESH_S = 0.1
"""seconds between two states that are shown"""
PIPE_S = 0.05
"""seconds in which a line that goes into a pipe may come out on the terminal, as of `tee`"""
DULL = ("dumb", "unknown")
"""TERM of terminals that cannot go back to a line"""
UP = "\x1b[A"
ERASE_LINE, ERASE_LINE_ABOVE = "\r\x1b[2K", f"{UP}\x1b[2K"
PLAIN = ("CI", "NO_COLOR")
"""variables by which somebody asks for plain lines"""


class FootPart(Protocol):
    """A part of the foot, one or more lines."""

    def shown(self, width: int) -> "RenderableType":
        """Return what it shows in so many columns."""


def has_foot() -> bool:
    """Return whether stderr is a terminal whose last lines may be written over, and nobody asked for plain ones."""
    plain = any(map(os.environ.get, PLAIN)) or os.environ.get("TERM") in DULL
    return sys.stderr.isatty() and not plain and (sys.stderr.encoding or "").lower().startswith("utf")


class Foot:
    """The parts that are shown now, the first one on top, and how they make way for what is printed."""

    def __init__(self) -> None:
        self._parts: list[FootPart] = []
        self._standing = 0
        """lines of them that stand on the terminal now"""
        self._said: deque[tuple[TextIO, str]] = deque()
        """what is still to be written above; a signal's handler may add to it at any time"""
        self._begun: dict[TextIO, str] = {}
        """of each stream, the line that has no end yet"""
        self._next = 0.0
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._writing = False
        self._closing = ExitStack()

    def show(self, part: FootPart) -> None:
        """Show a part from now on, below the others; of one that is shown already, its new state once it is time."""
        with self._lock:
            if not self._parts:
                self._open()
            if part not in self._parts:
                self._parts.append(part)
                self._next = 0.0
            if time.monotonic() >= self._next:
                self._next = time.monotonic() + REFRESH_S
                self._redraw()

    def drop(self, part: FootPart, leave: bool) -> None:
        """Show a part no more, or leave it behind as it is now."""
        with self._lock:
            if part in self._parts:
                self._said.extend((cursor_stream(), f"{line}\n") for line in _rendered([part]) if leave)
                self._parts.remove(part)
                self._redraw()
                if not self._parts:
                    self._closing.close()

    def _open(self) -> None:
        if not isinstance(sys.stderr, PrintableStream):  # used from Python, where nobody wraps what is printed
            self._closing.enter_context(printable_output())
        PrintableStream.above_foot = self._write_above
        self._closing.callback(self._end)

    def _end(self) -> None:
        PrintableStream.above_foot = None
        while self._said:
            self._say(*self._said.popleft())
        for stream in list(self._begun):
            _write(stream, self._begun.pop(stream))

    def _write_above(self, stream: TextIO, text: str) -> None:
        """Write a text to a stream; on a terminal a line without an end waits for it, and the foot makes way."""
        piped = not stream.isatty()
        if os.getpid() != self._process or (piped and (self._writing or not _is_pipe(stream))):
            stream.write(text)
            return
        with self._lock:
            if piped:
                self._write_into_pipe(stream, text)
                return
            self._said.append((stream, text))
            if "\n" in text and not self._writing:
                self._redraw()

    def _write_into_pipe(self, stream: TextIO, text: str) -> None:
        """Let the foot make way for a line until it has come out of the pipe, which may be here."""
        self._take_away()
        stream.write(text)
        if text.endswith("\n"):
            stream.flush()
            time.sleep(PIPE_S)
            self._redraw()

    def _take_away(self) -> None:
        # no more lines than were written, even if a narrower terminal has broken them: nothing else is erased
        erased = f"{ERASE_LINE}{ERASE_LINE_ABOVE * (self._standing - 1)}" if self._standing else ""
        _write(cursor_stream(), erased)
        self._standing = 0

    def _redraw(self) -> None:
        """Take the foot away, write what was said meanwhile, and put the foot below that."""
        self._writing = True
        try:
            self._take_away()
            while self._said:
                self._say(*self._said.popleft())
            lines = _rendered(self._parts)
            _write(cursor_stream(), "\n".join(lines))
            self._standing = len(lines)
        finally:
            self._writing = False
        if any("\n" in text for _, text in tuple(self._said)):
            self._redraw()

    def _say(self, stream: TextIO, text: str) -> None:
        """Write whole lines; one that is written over only in its last state."""
        *whole, begun = (self._begun.get(stream, "") + text).split("\n")
        self._begun[stream] = _last_state(begun)
        _write(stream, "".join(f"{_last_state(line)}\n" for line in whole))


def _write(stream: TextIO, text: str) -> None:
    if text:
        stream.write(text)
        stream.flush()


def _is_pipe(stream: TextIO) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except OSError:  # it has no file
        return False


def _last_state(line: str) -> str:
    """Return what is seen of a line that was written over."""
    return line.replace(UP, "").rstrip("\r").rpartition("\r")[2]


def _size() -> tuple[int, int]:
    """Return the columns and lines of the terminal as they are now, whatever they were when it was opened."""
    try:
        columns, lines = os.get_terminal_size(sys.stderr.fileno())
    except (OSError, ValueError):
        columns = lines = 0
    return columns or 80, lines or 24


def _rendered(parts: Sequence[FootPart]) -> list[str]:
    """Return the lines of some parts, no more than the terminal has."""
    from rich.console import Console

    columns, lines = _size()
    width = max(columns - 1, 1)  # a full line would move the cursor in some terminals
    console = Console(file=cursor_stream(), force_terminal=True, legacy_windows=False, width=width)
    with console.capture() as captured:
        for part in parts:
            console.print(part.shown(width), highlight=False, crop=True)
    return captured.get().splitlines()[: max(lines - 1, 1)]


FOOT = Foot()
"""the foot of this process"""
