"""An environment that exists already, or is built now by one of the processes that want it."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rewardlab.errors import JobError
from rewardlab.files import FileLock
from rewardlab.workers.environments.definition import EnvironmentDefinition, InstallStep, environments_dir, python_in
from rewardlab.workers.environments.progress import progress_line
from rewardlab.workers.environments.record import state_of

Say = Callable[[str], None]
LOOK_AGAIN_S = 0.2


def interpreter(requirements: Path, name: str, say: Say | None = None, distributions: Sequence[str] = ()) -> str:
    """Return the path of the Python of the managed environment that has exactly these requirements.

    An environment that does not exist yet is built first, which takes minutes, in which the calling thread waits; `say`
    is called with a line before that (absent: the line goes to stderr, and where that is a terminal, the installer's
    progress, too). Once the environment exists, no process is started and no network needed.

    name: the owner's name, for the folder and for messages. distributions: names of distributions of the host's
    environment that are installed, too, in the same way as here. UserError: no such requirements or distributions.
    JobError: the build failed, with the installer's last lines.
    """
    step = InstallStep(requirements=requirements)
    return provide(EnvironmentDefinition(name=name, steps=(step,), distributions=tuple(distributions)), say)


def provide(definition: EnvironmentDefinition, say: Say | None = None) -> str:
    """Return the same as `interpreter`, for an environment that is made in several steps."""
    folder = definition.folder
    if state_of(folder) != "ready":
        tell = say or _on_stderr
        try:
            with exclusive_access(folder, "builds it", tell) as lock:
                if state_of(folder) != "ready":  # else another process has built it while this one waited
                    _build(definition, lock, tell)
        except OSError as error:
            raise JobError(f"{error.filename or folder}: {error.strerror or error}") from error
    return str(python_in(folder))


def _build(definition: EnvironmentDefinition, lock: int, say: Say) -> None:
    from rewardlab.workers.environments.building import build  # an environment that exists needs none of it

    folder = definition.folder
    state = state_of(folder)
    if state == "absent":
        say(f"building the environment of {definition.name!r}, once, in {folder}")
    else:
        say(f"the environment of {definition.name!r} is {state}: building it again in {folder}")
        shutil.rmtree(folder)
    with progress_line(definition.name) as progress:
        record = build(definition, lock=lock, log=log_of(folder), progress=progress)
    say(f"built the environment of {definition.name!r} in {record.seconds:.0f} s")


@contextmanager
def exclusive_access(folder: Path, doing: str, say: Say | None) -> Iterator[int]:
    """Be the only process that changes an environment. Yield the lock's file descriptor, for child processes.

    Another process that changes it is waited for, and `say` is called with a line about it; if `say` is None:
    BlockingIOError. doing: what this process does, for the others' messages.
    """
    path = lock_of(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = _wait_for_it(folder, say)
    try:
        path.write_text(f"process {os.getpid()}, which {doing}", encoding="utf-8")
        yield lock.fileno()
    finally:
        lock.close()


def _wait_for_it(folder: Path, say: Say | None) -> FileLock:
    announced = ""
    while True:
        try:
            return FileLock(lock_of(folder))
        except BlockingIOError:
            if say is None:
                raise
        if (holder := holder_of(folder)) != announced:
            say(f"waiting for {holder}: {folder} (its log: {log_of(folder)})")
            announced = holder
        time.sleep(LOOK_AGAIN_S)


def holder_of(folder: Path) -> str:
    """Return who holds the lock, as "process 12, which builds it"."""
    return lock_of(folder).read_text(encoding="utf-8") or "another process"


def lock_of(folder: Path) -> Path:
    """Return the path of an environment's lock: not in its folder, which comes and goes."""
    return environments_dir() / ".building" / f"{folder.name}.lock"


def log_of(folder: Path) -> Path:
    """Return the path of the log of an environment's last build."""
    return environments_dir() / ".building" / f"{folder.name}.log"


def _on_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
