"""A stage's driver on this machine: a process of its own, which starts its own Ray and shuts it down."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from rewardlab.concurrency import grace_s
from rewardlab_training import telemetry_variables

STOP_LIMIT_S = 30.0
STOP_LOOK_S = 0.5


def run_here(
    module: str,
    arguments: Sequence[str],
    take: Callable[[str], None],
    stop: threading.Event | None = None,
    variables: Mapping[str, str] | None = None,
) -> int:
    """Run a driver, the module with these arguments, until it ends; return its exit code.

    An interrupt, or `stop` once it is set, ends the driver with everything that it started; KeyboardInterrupt is raised
    then.

    Args:
        take: is called with each line that it prints.
        variables: further ones of its environment.
    """
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    environment |= telemetry_variables() | {"PYTHONUNBUFFERED": "1", "RAY_DEDUP_LOGS": "0", **(variables or {})}
    command = [sys.executable, "-m", module, *arguments, "--attended"]
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,  # nothing is written: it ends with this process, see end_with_parent
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,  # this process passes a Ctrl-C on
    )
    ended = threading.Event()
    if stop is not None:
        threading.Thread(target=_interrupt_at, args=(process, stop, ended), daemon=True).start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            take(line.rstrip("\n"))
        code = process.wait()
    finally:
        ended.set()
        _end(process)
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
    return code


def _interrupt_at(process: subprocess.Popen, stop: threading.Event, ended: threading.Event) -> None:
    """Interrupt the driver, as Ctrl-C does, once `stop` is set; return when it has ended."""
    while not ended.is_set():
        if stop.wait(STOP_LOOK_S):
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
            return


def end_with_parent() -> None:
    """Let this process, a driver, end as by an interrupt once the process that started it is gone for any reason."""

    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(_stop_limit_s())
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def hear_interrupts() -> None:
    """Let SIGINT interrupt this process, a driver, if what started it ignores or blocks it: a script by `&`, Ray."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _stop_limit_s() -> float:
    """Return the seconds that the driver has to end."""
    return max(STOP_LIMIT_S, grace_s())


def _end(process: subprocess.Popen) -> None:
    """End the driver's whole session, with an interrupt first; do nothing if it has ended by itself."""
    try:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)  # lets the driver shut Ray down
            with suppress(subprocess.TimeoutExpired):
                process.wait(_stop_limit_s())
    finally:  # a second interrupt does not wait for that
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
