"""The processes that this one starts on its machine to train a stage, watched and ended by it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rewardlab.errors import JobError

from rewardlab_trl.machines import Machines

MAX_END_S = 60.0
"""how long the others may take to end once the stage is trained"""
MAX_NOTICE_S = 5.0
"""how long after a broken connection the process at its other end is looked at: it ends a little later"""


class Children:
    """Other processes of this machine: Ctrl-C does not reach them, and they end when this one does, however it ends."""

    def __init__(self, stage: str, logs: Path, folder: Path, numbers: Sequence[int], machines: Machines) -> None:
        self._stage, self._numbers, self._count, self._over = stage, numbers, machines.processes, threading.Event()
        self._logs = [logs / f"{stage}.process-{number}.log" for number in numbers]
        path = {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
        self._started: list[subprocess.Popen[bytes]] = []
        for number, log in zip(numbers, self._logs, strict=True):
            command = [sys.executable, "-m", "rewardlab_trl.other_process", str(folder), str(number)]
            with log.open("wb") as file:
                self._started.append(
                    subprocess.Popen(
                        command,
                        stdin=subprocess.PIPE,
                        stdout=file,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                        env={**os.environ, **path, **machines.variables(number)},
                    )
                )

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Wait until something is so. JobError if one of them ends before."""
        while not ready():
            if lost := self.lost():
                raise lost
            time.sleep(0.05)

    def wait_for_the_end(self) -> None:
        """Wait until all have ended, as they do when the stage is trained. JobError if one of them fails."""
        while any(child.poll() is None for child in self._started):
            if any(child.returncode for child in self._started) and (lost := self.lost(MAX_NOTICE_S)):
                raise lost
            time.sleep(0.2)
        if any(child.returncode for child in self._started) and (lost := self.lost()):
            raise lost

    def lost(self, within_s: float = 0.0) -> JobError | None:
        """Return the error that one of them has ended, or ends within some seconds; else None."""
        until = time.monotonic() + within_s
        while not (ended := [child for child in self._started if child.poll() is not None]):
            if time.monotonic() >= until:
                return None
            time.sleep(0.05)
        # who was killed comes before who then missed it, and that before who has done its work
        first = min(ended, key=lambda child: (child.returncode == 0, child.returncode))
        place = self._started.index(first)
        code = first.returncode
        fate = f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"
        log = self._logs[place]
        last_line = log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        last = f"; it said last: {last_line}" if last_line else ""
        which = f"process {self._numbers[place]} (of {self._count}, from 0)"
        return JobError(f"stage {self._stage}: {which} ended with {fate} ({log}){last}")

    def watch(self) -> None:
        """Let this process notice that another has ended while it waits for a GPU, which NCCL alone would not."""
        threading.Thread(target=self._watch, name="rewardlab-processes", daemon=True).start()

    def _watch(self) -> None:
        from torch.distributed import distributed_c10d

        while not self._over.wait(1.0):
            if self.lost():
                distributed_c10d._abort_process_group()
                return

    def wait(self) -> None:
        """Wait until all have ended by themselves, after the stage's last step."""
        self._over.set()
        until = time.monotonic() + MAX_END_S
        for child in self._started:
            try:
                child.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                return

    def end(self) -> None:
        """End those that are left."""
        self._over.set()
        for child in self._started:
            if child.poll() is None:
                child.kill()
            child.wait()
            assert child.stdin is not None
            child.stdin.close()
