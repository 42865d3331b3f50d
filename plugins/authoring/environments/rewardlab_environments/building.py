"""A build: a new virtual environment, filled step by step, and recorded at the end."""

import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from rewardlab.errors import JobError
from rewardlab.text import redactor
from rewardlab.workers import InstallStep

from .build_command import CommandError, run_command
from .distributions import HATCHLING, built_by_hatchling
from .identity import EnvironmentIdentity, python_in
from .record import BuildRecord, installed_in, write_record

Say = Callable[[str], None]
Command = tuple[list[str], Mapping[str, str], Path]
"""Arguments, further environment variables, and the folder that the command runs in."""


def build(environment: EnvironmentIdentity, *, lock: int, log: Path, progress: Say) -> BuildRecord:
    """Build an environment in a folder that does not exist yet, and return its record.

    JobError if that fails; then nothing is left of it but the log.

    Args:
        lock: the file descriptor of the lock that this process holds.
        progress: called with each line of the installer.
    """
    folder = environment.folder
    started = time.monotonic()
    try:
        with open(log, "w", encoding="utf-8", opener=_private) as lines:
            for command, variables, cwd in _commands(environment):
                run_command(command, lock=lock, log=lines, progress=progress, variables=variables, cwd=cwd)
        record = BuildRecord(
            name=environment.definition.name,
            key=environment.key,
            identity=redactor().tree(environment.identity),
            base=_base(),
            versions=installed_in(folder),
            built=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - started, 1),
            installer=_installer(),
        )
        write_record(folder, record)
    except (CommandError, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)  # it would not be used, and may have filled the disk
        raise JobError(_describe_failure(environment, error, log)) from error
    return record


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _commands(environment: EnvironmentIdentity) -> Iterator[Command]:
    folder = str(environment.folder)
    uv = shutil.which("uv")
    seed = [] if environment.empty else ["--seed"]  # with pip in it, for users who want to add something
    without_pip = ["--without-pip"] if environment.empty else []
    if uv:
        yield [uv, "venv", "--python", _base(), *seed, folder], {}, Path(folder).parent
    else:
        yield [_base(), "-I", "-m", "venv", *without_pip, folder], {}, Path(folder).parent
    if environment.empty:
        return
    python = str(python_in(environment.folder))
    install = [uv, "pip", "install", "--python", python] if uv else [python, "-I", "-m", "pip", "install", *_QUIET]
    requirements = dict(zip(environment.definition.distributions, environment.identity["distributions"], strict=True))
    together = [name for name, line in requirements.items() if built_by_hatchling(line)]
    if together:
        folders = [word for name in together for word in _arguments(requirements[name])]
        yield [*install, *HATCHLING], {}, Path(folder).parent
        yield [*install, "--no-deps", "--no-build-isolation", *folders], {}, Path(folder).parent
        requirements |= {name: name for name in together}  # they are there; the first step brings what they need
    hosted = [word for line in requirements.values() for word in _arguments(line)]
    for step in environment.definition.steps:
        file = str(step.requirements.resolve())
        yield [*install, *step.options, *hosted, "-r", file], step.variables, _folder_of(step)
        hosted = []


_QUIET = ["--no-input", "--disable-pip-version-check"]


def _arguments(line: str) -> list[str]:
    return ["-e", line.removeprefix("-e ")] if line.startswith("-e ") else [line]


def _folder_of(step: InstallStep) -> Path:
    return step.requirements.resolve().parent  # paths in the file are relative to it


def _base() -> str:
    """Return the interpreter below the host's virtual environment, by the name that disappears when it is upgraded."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def _installer() -> str:
    return "uv" if shutil.which("uv") else "pip"


def _describe_failure(environment: EnvironmentIdentity, error: Exception, log: Path) -> str:
    lines = redactor().text(str(error)).splitlines()
    output = "\n".join(f"  {line}" for line in lines)
    again = shlex.join(["rewardlab", "env", "create", environment.definition.name])
    return (
        f"the environment of {environment.definition.name!r} cannot be built; {_installer()} said last:\n{output}\n"
        f"all that it said: {log}\n"
        f"once that is fixed: {again} ({_installer()} keeps what it has downloaded)"
    )
