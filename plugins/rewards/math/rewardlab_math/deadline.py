"""Limit the processor time of one call, in whatever thread it runs.

Signals, math-verify's own means, reach only the main thread, take away the caller's SIGALRM, and count the seconds in
which other processes had the processor. Here a watching thread reads the processor clock of the working thread and
raises an exception in it (`PyThreadState_SetAsyncExc`), which takes effect between two bytecodes: a single call into C
cannot be interrupted and must be prevented (see `guard`).
"""

import _weakrefset
import ctypes
import gc
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_AGAIN = 1.0
"""Seconds of processor time after which the exception is raised again, in case something swallowed it."""
_WEAK_REFERENCES = (weakref.__file__, _weakrefset.__file__)


class TimeLimitExceeded(Exception):
    """A call that used up its processor time."""


class _TimeUp(BaseException):
    """The end of a call's time, raised inside the call; a BaseException passes the `except Exception` of libraries."""


def call_within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return work(); raise TimeLimitExceeded once it has used more than `seconds` of processor time.

    Exceptions of `work` pass through. Costs about 0.2 ms, for the watching thread.
    """
    watcher = _Watcher(seconds)
    watcher.start()
    try:
        try:
            result = work()
        finally:
            watcher.dismiss()
    except _TimeUp:
        watcher.dismiss()  # again: it may have been raised on the way into the first
    if watcher.fired:
        raise TimeLimitExceeded(f"more than {seconds:g} s of processor time")
    return result


class _Watcher(threading.Thread):
    """A thread that watches the one that creates it until it is dismissed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(daemon=True)
        self.fired = False
        self._worker = threading.get_ident()
        self._clock = _processor_clock(self._worker)
        self._limit = self._clock() + seconds
        self._working = threading.Lock()
        self._working.acquire()

    def run(self) -> None:
        while not self._working.acquire(timeout=max(0.005, self._limit - self._clock())):
            if self._clock() >= self._limit and not _would_be_swallowed(self._worker):
                self.fired = True
                _raise_in(self._worker, _TimeUp)
                self._limit += _AGAIN

    def dismiss(self) -> None:
        """Stop watching. The watched thread calls this; afterwards nothing is raised in it, even if it was pending."""
        while True:
            try:
                if self._working.locked():
                    self._working.release()
                self.join()
                if self.fired:
                    self._receive_pending()
                return
            except _TimeUp:
                continue

    def _receive_pending(self) -> None:
        """Let the exception be raised here, where it does no harm.

        Taking one back (`SetAsyncExc` with NULL) would leave Python 3.11 looking for it before every function that it
        enters, in every thread, for ever.
        """
        try:
            _raise_in(self._worker, _TimeUp)
            while True:
                pass
        except _TimeUp:
            return


def _would_be_swallowed(worker: int) -> bool:
    """Return whether a thread is in a callback of the garbage collector or a weak reference, which drops exceptions."""
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    frame = sys._current_frames().get(worker)
    while frame is not None:
        code = frame.f_code
        if code in callbacks or code.co_name == "__del__" or code.co_filename in _WEAK_REFERENCES:
            return True
        frame = frame.f_back
    return False


def _raise_in(worker: int, exception: type[BaseException]) -> None:
    """Set the exception that a thread raises next."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker), ctypes.py_object(exception))


def _processor_clock(thread: int) -> Callable[[], float]:
    """Return a clock of the processor seconds that a thread has used."""
    try:
        identity = time.pthread_getcpuclockid(thread)
    except AttributeError:  # macOS and Windows have no clock of another thread: wall-clock time there
        return time.monotonic
    return lambda: time.clock_gettime(identity)
