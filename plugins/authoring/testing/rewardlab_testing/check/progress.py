"""Progress of a long trial: a line that is kept at a terminal, and a line now and then elsewhere."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rewardlab.text import cursor_stream

DELAY_S = 2.0
"""seconds after which a terminal shows what is being tried"""
NOTICE_S = 30.0
"""seconds after which a line says so if there is no terminal; the next one comes after twice that time, and so on"""
CLEAR_LINE = "\r\x1b[K"


class TrialProgress:
    """The trial under way, and since when. part: which of several parts, such as "1 of 2"."""

    def __init__(self, part: str) -> None:
        self._part, self._subject = part, ""
        self._began = time.monotonic()
        self._notice = NOTICE_S
        self._shown = False
        self._lock = threading.Lock()

    def begin(self, subject: str) -> None:
        """Say that this is being tried from now on."""
        with self._lock:
            self._subject, self._began, self._notice = subject, time.monotonic(), NOTICE_S

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Keep the terminal's line away while the body prints."""
        with self._lock:
            self._clear()
            yield

    def show(self) -> None:
        """Show what is being tried, if it is time to do so."""
        with self._lock:
            seconds = time.monotonic() - self._began
            if sys.stderr.isatty():
                if seconds >= DELAY_S:
                    line = f"{CLEAR_LINE}{self._subject} ({self._part}): {seconds:.0f} s"
                    print(line, end="", file=cursor_stream(), flush=True)
                    self._shown = True
            elif seconds >= self._notice:
                print(f"{self._subject} ({self._part}): tried for {seconds:.0f} s so far", file=sys.stderr, flush=True)
                self._notice *= 2

    def _clear(self) -> None:
        if self._shown:
            print(CLEAR_LINE, end="", file=cursor_stream(), flush=True)
            self._shown = False


@contextmanager
def show_progress(part: str, every: float = 1.0) -> Iterator[TrialProgress]:
    """Show on stderr what the body says is being tried, for work that cannot say how far it is.

    Args:
        every: seconds between two looks at it.
    """
    progress, done = TrialProgress(part), threading.Event()

    def show_until_done() -> None:
        while not done.wait(every):
            progress.show()

    clock = threading.Thread(target=show_until_done, daemon=True)
    clock.start()
    try:
        yield progress
    finally:
        done.set()
        clock.join()
        with progress.pause():
            pass
