"""`rewardlab run` with an engine on Ray, on a CPU, as a user starts it: processes, a time limit, what it leaves."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from rewardlab_testing.backend_laws.ledger import read_rows

LIMIT = 480.0  # seconds for a job: some machines take twice as long as others
SHOWN = 60  # lines of the output in a failure's message


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A job that has ended: its exit code, all that it printed, how many seconds it took, and its run directory."""

    code: int
    output: str
    seconds: float
    directory: Path | None

    def succeeded(self) -> "Ended":
        """Itself; an AssertionError with the end of its output where it failed."""
        assert self.code == 0, f"exit code {self.code}\n" + "\n".join(self.output.splitlines()[-SHOWN:])
        return self

    def ledger(self, stage: int | None = None, trained: str | None = None) -> list[dict]:
        """The rows of the ledger, all or those of one stage or kind."""
        rows = read_rows(self.directory)
        return [r for r in rows if stage in (None, r["stage"]) and trained in (None, r["trained"])]

    def log(self, name: str) -> list[dict]:
        """The lines of logs/NAME.jsonl, one a step."""
        return read_lines(self.directory / "logs" / f"{name}.jsonl")


class Job:
    """A job under way: wait for it, or kill it as a machine that goes down does."""

    def __init__(self, process: subprocess.Popen, folder: Path, output: Path, ray: Path):
        self._process, self._folder, self._output, self._ray = process, folder, output, ray
        self._started = time.monotonic()

    @property
    def directory(self) -> Path | None:
        """The newest run directory, once there is one."""
        runs = sorted((self._folder / "runs").glob("*"), key=lambda path: path.stat().st_mtime)
        return runs[-1] if runs else None

    def tell(self) -> str:
        """What it has printed so far."""
        return self._output.read_text(encoding="utf-8", errors="replace")

    def running(self) -> bool:
        return self._process.poll() is None

    def until(self, true: Callable[[], bool], limit: float = LIMIT) -> None:
        """Wait for it; an AssertionError with what the job said where it ends first."""
        end = time.monotonic() + limit
        while not true():
            assert self.running() or true(), self.tell()[-3000:]
            assert time.monotonic() < end, self.tell()[-3000:]
            time.sleep(0.05)

    def wait(self, limit: float = LIMIT) -> Ended:
        """Raises AssertionError, with the end of the output, where it does not end in `limit` seconds."""
        try:
            code = self._process.wait(limit)
        except subprocess.TimeoutExpired:
            shown = "\n".join(self.tell().splitlines()[-SHOWN:])
            raise AssertionError(f"the job did not end in {limit} seconds\n{shown}") from None
        seconds = time.monotonic() - self._started
        print(f"\n{self._output.stem}: {seconds:.0f} s")
        return Ended(code=code, output=self.tell(), seconds=seconds, directory=self.directory)

    def kill(self) -> None:
        """Every process of the job at once, Ray's too: the command first, so that it can tidy nothing up."""
        if self.running():
            self._process.kill()
        self._process.wait()
        _kill(self._ray)

    def kill_one(self, name: str) -> None:
        """A process of Ray's whose title has this name: an actor of the engine."""
        found = [process for process in _processes(self._ray) if name in " ".join(process.cmdline())]
        assert found, f"no process {name} among {self.left()}"
        found[0].kill()

    def left(self) -> list[str]:
        """The command lines of processes that are still there."""
        return _command_lines(self._ray)


@dataclass(frozen=True)
class Jobs:
    """The jobs of one engine: `engine`, the folder of what stands in for its GPUs, is put on PYTHONPATH."""

    engine: Path
    environment: Mapping[str, str]

    @contextmanager
    def started(
        self,
        folder: Path,
        recipe: Path | str,
        *arguments: object,
        name: str = "job",
        env: Mapping[str, str] | None = None,
        paths: Sequence[Path] = (),
    ) -> Iterator[Job]:
        """`rewardlab run RECIPE ARGUMENTS` in `folder`; nothing of it is left afterwards but its files.

        paths: folders with further plugins, installed.
        """
        # short: Ray's sockets lie in it, and their paths may not be long
        ray = Path(tempfile.mkdtemp(prefix="rl_", dir="/tmp"))
        output = folder / f"{name}.txt"
        command = [sys.executable, "-m", "rewardlab.cli", "run", str(recipe), *map(str, arguments)]
        with output.open("w") as file:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=self._environment(folder, ray, paths) | dict(env or {}),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        job = Job(process, folder, output, ray)
        try:
            yield job
        finally:
            job.kill()
            shutil.rmtree(ray, ignore_errors=True)

    @contextmanager
    def ray_environment(self, folder: Path) -> Iterator[tuple[dict[str, str], Callable[[], list[str]]]]:
        """Yield the variables of jobs for whoever starts them, and a function that tells which processes are left.

        None of them is left afterwards.
        """
        ray = Path(tempfile.mkdtemp(prefix="rl_", dir="/tmp"))
        try:
            yield self._environment(folder, ray, ()), lambda: _command_lines(ray)
        finally:
            _kill(ray)
            shutil.rmtree(ray, ignore_errors=True)

    def run(self, folder: Path, recipe: Path | str, *arguments: object, limit: float = LIMIT, **more) -> Ended:
        """The whole job; `more` as `started` takes it."""
        with self.started(folder, recipe, *arguments, **more) as job:
            return job.wait(limit)

    def _environment(self, folder: Path, ray: Path, paths: Sequence[Path]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "PYTEST_"))}
        found = [str(self.engine), *map(str, paths), *filter(None, [os.environ.get("PYTHONPATH")])]
        own = {"PYTHONPATH": os.pathsep.join(found), "RAY_TMPDIR": str(ray), "HF_HOME": str(folder / "hf")}
        return kept | self.environment | own


def _kill(ray: Path) -> None:
    while found := _processes(ray):  # again, for what one of them started meanwhile
        for process in found:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(found, timeout=10)


def _command_lines(ray: Path) -> list[str]:
    return [" ".join(process.cmdline()) for process in _processes(ray)]


def _processes(ray: Path) -> list[psutil.Process]:
    """Those that inherited the job's RAY_TMPDIR, which no other job has."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("RAY_TMPDIR") == str(ray) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:  # it has ended, or is another user's
            continue
    return found


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
