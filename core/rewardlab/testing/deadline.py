"""An end for plain functions that hang, as a regular expression may on a long text."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """A TimeoutError in what runs for longer on the main thread; nothing elsewhere, or where SIGALRM is somebody's.

    What sets an alarm of its own in the meantime puts an end to this one, and C code that looks for no signals is not
    interrupted (Python's regular expressions look for them).
    """
    ours = (
        threading.current_thread() is threading.main_thread()
        and hasattr(signal, "SIGALRM")
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    )
    if not ours:
        yield
        return

    done = False

    def over(*_: Any) -> None:
        if not done:
            raise TimeoutError(f"not done within {seconds:g} s")

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)  # again, for what catches the first and goes on
    try:
        try:
            yield
        finally:
            done = True
    finally:  # of its own, so that an alarm in the one above leaves none behind
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
