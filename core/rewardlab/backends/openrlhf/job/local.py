"""Running a stage's driver on this machine: a process of its own, which brings its own Ray and takes it down."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from rewardlab.backends import telemetry
from rewardlab.backends.openrlhf.job.log import StageLog

STOP_LIMIT_S = 30.0


def run_here(arguments: Sequence[str], log: StageLog) -> int:
    """Run the driver with these arguments until it ends; its exit code.

    An interrupt ends it, with all that it started, and is raised again.
    """
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    environment |= telemetry.variables() | {"PYTHONUNBUFFERED": "1", "RAY_DEDUP_LOGS": "0"}
    command = [sys.executable, "-m", "rewardlab.backends.openrlhf.job.driver", *arguments, "--attended"]
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,  # nothing is written: it ends with this process, see end_with_parent
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,  # a Ctrl-C is ours to pass on
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            log.take(line.rstrip("\n"))
        return process.wait()
    finally:
        _end(process)


def end_with_parent() -> None:
    """In the driver: end as by an interrupt where the process that started it is gone, in whatever way that ended."""

    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(STOP_LIMIT_S)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _end(process: subprocess.Popen) -> None:
    """End the driver's whole session, kindly first; nothing where it has ended by itself."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)  # the driver's own way out: it shuts Ray down
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_LIMIT_S)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
