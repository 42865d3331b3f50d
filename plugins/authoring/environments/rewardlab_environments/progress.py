"""The installer's progress, on one line of a terminal."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_line(name: str) -> Iterator[Callable[[str], None]]:
    """Yield a function to call with each of the installer's lines.

    It shows the last one if stderr is a terminal, else nothing.
    """
    if not sys.stderr.isatty():
        yield lambda line: None
        return
    from rewardlab.text import cursor_stream, printable

    started = time.monotonic()

    def show(line: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        text = printable(f"{name} {time.monotonic() - started:.0f} s: {line}")
        print(f"\r\033[K{text[:width]}", end="", file=cursor_stream(), flush=True)

    try:
        yield show
    finally:
        print("\r\033[K", end="", file=cursor_stream(), flush=True)
