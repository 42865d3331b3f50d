"""A time limit for plain functions that may hang, as a regular expression does on a long text."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the body if it runs for longer on the main thread.

    There is no limit on other threads, nor if somebody else handles SIGALRM. Code that sets an alarm of its own
    removes the limit, and C code that does not check for signals is not interrupted (Python's regular expressions do).
    """
    is_free = (
        threading.current_thread() is threading.main_thread()
        and hasattr(signal, "SIGALRM")
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    )
    if not is_free:
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
    finally:  # a second one: an alarm may go off in the `finally` above, and none may be left behind
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
