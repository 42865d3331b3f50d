"""Telling people at a terminal what is being tried, where it takes longer than two seconds."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

DELAY_S = 2.0
CLEAR_LINE = "\r\x1b[K"


@contextmanager
def told(what: str) -> Iterator[None]:
    """On stderr "what: 12 s", while the body runs. For work that cannot say how far it is."""
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    teller = threading.Thread(target=_tell, args=(what, over), daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def _tell(what: str, over: threading.Event) -> None:
    started = time.monotonic()
    if over.wait(DELAY_S):
        return
    while True:
        print(f"{CLEAR_LINE}{what}: {time.monotonic() - started:.0f} s", end="", file=sys.stderr, flush=True)
        if over.wait(1.0):
            break
    print(CLEAR_LINE, end="", file=sys.stderr, flush=True)
