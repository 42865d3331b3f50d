"""An environment that exists already, or is built now by one of the processes that want it."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rewardlab.errors import JobError
from rewardlab.files import FileLock

from .identity import EnvironmentIdentity, environments_dir, python_in
from .progress import progress_line
from .record import state_of

Say = Callable[[str], None]
LOOK_AGAIN_S = 0.2


class Environment(EnvironmentIdentity):
    """The managed environment of a definition."""

    @property
    def ready(self) -> bool:
        """Whether it can be used; no process is started to find that out."""
        return state_of(self.folder) == "ready"

    def provide(self, say: Say | None = None) -> str:
        """Return the path of its Python, which has exactly what the definition says.

        An environment that does not exist yet is built first, which takes minutes, in which the calling thread waits;
        `say` is called with a line before that (absent: the line goes to stderr, and if that is a terminal, the
        installer's progress, too). Once it exists, no process is started and no network needed. UserError: no such
        requirements or distributions. JobError: the build failed, with the installer's last lines.
        """
        if not self.ready:
            tell = say or _on_stderr
            try:
                with exclusive_access(self.folder, "builds it", tell) as lock:
                    if not self.ready:  # else another process has built it while this one waited
                        _build(self, lock, tell)
            except OSError as error:
                raise JobError(f"{error.filename or self.folder}: {error.strerror or error}") from error
        return str(python_in(self.folder))


def _build(environment: EnvironmentIdentity, lock: int, say: Say) -> None:
    from .building import build  # an environment that exists needs none of it

    folder, name = environment.folder, environment.definition.name
    state = state_of(folder)
    if state == "absent":
        say(f"building the environment of {name!r}, once, in {folder}")
    else:
        say(f"the environment of {name!r} is {state}: building it again in {folder}")
        shutil.rmtree(folder)
    with progress_line(name) as progress:
        record = build(environment, lock=lock, log=log_of(folder), progress=progress)
    say(f"built the environment of {name!r} in {record.seconds:.0f} s")


@contextmanager
def exclusive_access(folder: Path, doing: str, say: Say | None) -> Iterator[int]:
    """Be the only process that changes an environment. Yield the lock's file descriptor, for child processes.

    Another process that changes it is waited for, and `say` is called with a line about it; if `say` is None:
    BlockingIOError.

    Args:
        doing: what this process does, for the others' messages.
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
