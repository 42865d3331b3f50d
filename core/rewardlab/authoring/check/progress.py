"""The line at a terminal that says what is being tried, where that takes longer than two seconds."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rewardlab.text import cursor_stream

DELAY_S = 2.0
CLEAR_LINE = "\r\x1b[K"


@contextmanager
def show_progress(what: str) -> Iterator[None]:
    """Show "what: 12 s" on stderr while the body runs, for work that cannot say how far it is.

    Nothing is shown where stderr is no terminal.
    """
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    clock = threading.Thread(target=_print_seconds, args=(what, done), daemon=True)
    clock.start()
    try:
        yield
    finally:
        done.set()
        clock.join()


def _print_seconds(what: str, done: threading.Event) -> None:
    started = time.monotonic()
    if done.wait(DELAY_S):
        return
    while True:
        print(f"{CLEAR_LINE}{what}: {time.monotonic() - started:.0f} s", end="", file=cursor_stream(), flush=True)
        if done.wait(1.0):
            break
    print(CLEAR_LINE, end="", file=cursor_stream(), flush=True)
