"""Endings by signal: SIGTERM of schedulers and SIGHUP of a lost terminal do what Ctrl-C does."""

import math
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

GRACE_VARIABLE = "REWARDLAB_GRACE_S"
GRACE_S = 25.0
"""less than the 30 s after which Kubernetes and Slurm kill; docker's are 10"""
AGAIN_S = 0.05
"""seconds until an interrupt that was dropped comes again: the finaliser is over then"""
SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_heard: list[int] = []


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C in this block; repeat after the grace period.

    The period is REWARDLAB_GRACE_S of the environment, in seconds, else GRACE_S. A step under way gets so long to end,
    and what it leaves is said before the kill comes. Outside of the main thread, which alone hears signals, and where
    the program has a handler of its own, nothing is changed, nor for a signal that it ignores (nohup).
    """
    main = threading.current_thread() is threading.main_thread()
    taken = [number for number in SIGNALS if main and signal.getsignal(number) is signal.SIG_DFL]
    if signal.SIGTERM not in taken:
        yield
        return
    timers: list[threading.Timer] = []

    def heard(number: int, frame: FrameType | None) -> None:
        _heard.append(number)
        if not timers:
            timers.append(_send_after(grace_s(), signal.SIGTERM))
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # Ctrl-C is ignored, as in what a script starts with `&`; this signal is not
            raise KeyboardInterrupt
        interrupt(number, frame)

    for number in taken:
        signal.signal(number, heard)
    try:
        with _interrupts_kept():
            yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
        _heard.clear()
        for timer in timers:
            timer.cancel()


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Let an interrupt that lands in a finaliser, where Python prints and drops it, come again a moment later."""
    before = sys.unraisablehook

    def hook(dropped: "sys.UnraisableHookArgs") -> None:
        if isinstance(dropped.exc_value, KeyboardInterrupt):
            _send_after(AGAIN_S, _heard[-1] if _heard else signal.SIGINT)
        else:
            before(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def sigterm_heard() -> bool:
    """Return whether an interrupt in `sigterm_as_interrupt` came by a signal: nobody is there to be asked anything."""
    return bool(_heard)


def stop_code() -> int:
    """Return the exit code of a job that was stopped, as shells know it: 143 by SIGTERM, 129 by SIGHUP, else 130."""
    return 128 + (_heard[0] if _heard else signal.SIGINT)


def grace_s() -> float:
    """Return the seconds that a step has after SIGTERM, from the environment or GRACE_S."""
    try:
        given = float(os.environ.get(GRACE_VARIABLE, ""))
    except ValueError:
        return GRACE_S
    return given if math.isfinite(given) and given >= 0 else GRACE_S


def _send_after(seconds: float, number: int) -> threading.Timer:
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(seconds, signal.pthread_kill, (main, number))  # wakes it from a system call
    timer.daemon = True
    timer.start()
    return timer
