"""Commands of rewardlab in processes of their own: run to the end, interrupted as by Ctrl-C, killed at a time limit."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from rewardlab_testing.outcomes.outcome import LawViolation

COMMAND = ["-m", "rewardlab.cli"]
SHOWN = 8
"""lines of a command's output in a failing example"""
POLL_S = 0.01


@dataclass(frozen=True, kw_only=True)
class EndedCommand:
    """The end of a command.

    Args:
        typed: what a person would have typed.
        out, err: what it printed.
    """

    typed: str
    code: int
    out: str
    err: str

    @property
    def directory(self) -> str | None:
        """The run directory that it named, if any."""
        return self._after(self.out, "run directory: ")

    @property
    def continuation(self) -> list[str] | None:
        """The arguments of the command with which it says that one goes on; None if it names none."""
        line = self._after(self.err, "continue with: rewardlab ")
        return None if line is None else shlex.split(line)

    @property
    def ending(self) -> str:
        """The exit code and the last lines that it printed, for a failing example."""
        lines = [line for line in (self.out + self.err).splitlines() if line.strip()][-SHOWN:]
        return "\n".join([f"exit code {self.code}", *(f"    {line}" for line in lines)])

    def _after(self, text: str, mark: str) -> str | None:
        return next((line.partition(mark)[2] for line in text.splitlines() if mark in line), None)


class Commands:
    """Starts commands with this interpreter and its path.

    Args:
        output: a folder for what they print.
        environment: variables besides this process's.
        site: a further folder of installed plugins.
        limit: seconds after which a command is killed and has broken the law.
    """

    def __init__(self, output: Path, environment: Mapping[str, str], site: Path, limit: float) -> None:
        paths = [environment.get("PYTHONPATH", ""), str(site), *(place or os.getcwd() for place in sys.path)]
        self._environment = os.environ | dict(environment) | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        self._output = output
        self._limit = limit
        self._numbers = count()
        self._started: list[RunningCommand] = []

    def run(self, arguments: Sequence[str], folder: Path, *python: str) -> EndedCommand:
        """Run `rewardlab ARGUMENTS` in a folder to its end; `python` are options of the interpreter."""
        typed = shlex.join(["rewardlab", *arguments])
        return self.start([*python, *COMMAND, *arguments], folder, typed).wait()

    def start(self, arguments: Sequence[str], folder: Path, typed: str) -> "RunningCommand":
        """Start the interpreter with these arguments."""
        files = [self._output / f"{next(self._numbers)}.txt" for _ in ("out", "err")]
        with files[0].open("wb") as out, files[1].open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,  # a group of its own, which gets a Ctrl-C as a terminal sends it
            )
        self._started.append(RunningCommand(process, files, typed, self._limit))
        return self._started[-1]

    def close(self) -> None:
        """Kill what is still running, as when a test is interrupted."""
        for running in self._started:
            running.kill()


class RunningCommand:
    """A command under way."""

    def __init__(self, process: subprocess.Popen, files: Sequence[Path], typed: str, limit: float) -> None:
        self._process, self._files, self._typed, self._limit = process, files, typed, limit
        self._end = time.monotonic() + limit

    def wait_for(self, file: Path) -> bool:
        """Return whether the command makes this file before it ends. Raises LawViolation at the time limit."""
        while not file.exists():
            if self._process.poll() is not None:
                return False
            self._check_time()
            time.sleep(POLL_S)
        return True

    def interrupt(self) -> None:
        """Send SIGINT to every process of the command's group, as a terminal does."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGINT)

    def wait(self) -> EndedCommand:
        """Return how it ended. Raises LawViolation at the time limit, after the command is killed."""
        while True:
            try:
                code = self._process.wait(max(0.0, self._end - time.monotonic()))
                break
            except subprocess.TimeoutExpired:
                self._check_time()
        return self._result(code)

    def kill(self) -> None:
        """Kill every process of the command's group, unless the command has ended."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)

    def _check_time(self) -> None:
        if time.monotonic() < self._end:
            return
        self.kill()
        ended = self._result(self._process.wait())
        raise LawViolation(f"asked: {self._typed}\ngot: not done within {self._limit:g} s; {ended.ending}")

    def _result(self, code: int) -> EndedCommand:
        out, err = (path.read_text(encoding="utf-8", errors="replace") for path in self._files)
        return EndedCommand(typed=self._typed, code=code, out=out, err=err)
