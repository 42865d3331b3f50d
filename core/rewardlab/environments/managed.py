"""An environment that is there, or is built now by one of the processes that want it."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rewardlab.environments.definition import Definition, Step, environments_dir, python_in
from rewardlab.environments.progress import progress_of
from rewardlab.environments.record import state_of
from rewardlab.errors import JobError
from rewardlab.locking import FileLock

Say = Callable[[str], None]
LOOK_AGAIN_S = 0.2


def interpreter(requirements: Path, name: str, say: Say | None = None, distributions: Sequence[str] = ()) -> str:
    """The path of the python of the managed environment that has exactly these requirements.

    Where it is not there, it is built first, after `say` was told (absent: a line on stderr, and what the installer
    does now where that is a terminal): minutes, in which the calling thread waits. Once it is there, no process is
    started and no network needed.

    name: whose it is, in its folder's name and in messages. distributions: names of distributions of the host's
    environment that go in, too, installed as they are here. UserError: no such requirements or distributions.
    JobError: the build failed, with what the installer said last.
    """
    step = Step(requirements=requirements)
    return provide(Definition(name=name, steps=(step,), distributions=tuple(distributions)), say)


def provide(definition: Definition, say: Say | None = None) -> str:
    """The same for an environment that is made in several steps."""
    folder = definition.folder
    if state_of(folder) != "ready":
        tell = say or _on_stderr
        try:
            with the_only_one(folder, "builds it", tell) as lock:
                if state_of(folder) != "ready":  # else another process has built it while this one waited
                    _build(definition, lock, tell)
        except OSError as error:
            raise JobError(f"{error.filename or folder}: {error.strerror or error}") from error
    return str(python_in(folder))


def _build(definition: Definition, lock: int, say: Say) -> None:
    from rewardlab.environments.building import build  # what is there needs none of it

    folder = definition.folder
    state = state_of(folder)
    if state == "absent":
        say(f"building the environment of {definition.name!r}, once, in {folder}")
    else:
        say(f"the environment of {definition.name!r} is {state}: building it again in {folder}")
        shutil.rmtree(folder)
    with progress_of(definition.name) as progress:
        record = build(definition, lock=lock, log=log_of(folder), progress=progress)
    say(f"built the environment of {definition.name!r} in {record.seconds:.0f} s")


@contextmanager
def the_only_one(folder: Path, doing: str, say: Say | None) -> Iterator[int]:
    """Be the one process that changes an environment. Gives the lock's file descriptor, for processes of ours.

    Another one that does is waited for, and `say` is told who it is; where `say` is None: BlockingIOError.
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
    told = ""
    while True:
        try:
            return FileLock(lock_of(folder))
        except BlockingIOError:
            if say is None:
                raise
        if (holder := holder_of(folder)) != told:
            say(f"waiting for {holder}: {folder} (its log: {log_of(folder)})")
            told = holder
        time.sleep(LOOK_AGAIN_S)


def holder_of(folder: Path) -> str:
    """Who holds the lock, as "process 12, which builds it"."""
    return lock_of(folder).read_text(encoding="utf-8") or "another process"


def lock_of(folder: Path) -> Path:
    """The lock of an environment: beside it, since the folder comes and goes."""
    return environments_dir() / ".building" / f"{folder.name}.lock"


def log_of(folder: Path) -> Path:
    """What the installer said in the last build of an environment."""
    return environments_dir() / ".building" / f"{folder.name}.log"


def _on_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
