"""The environments on the disk: their size, the processes that use them, their removal."""

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.files import is_held

from .identity import KEY_LENGTH, environments_dir
from .managed import exclusive_access, holder_of, lock_of, log_of
from .record import READY, BuildRecord, read_record, state_of

_FOLDER = re.compile(rf"(?P<name>.+)-(?P<key>[0-9a-f]{{{KEY_LENGTH}}})")


@dataclass(frozen=True, kw_only=True)
class InstalledEnvironment:
    """An environment on the disk.

    Args:
        state: as in `record.State`, or "being built".
        record: None if it is not ready.
    """

    folder: Path
    name: str
    key: str
    state: str
    record: BuildRecord | None


def installed_environments() -> list[InstalledEnvironment]:
    """Return all environments of this user, half-built ones too, by name."""
    return list(_installed())


def _installed() -> Iterator[InstalledEnvironment]:
    if not environments_dir().is_dir():
        return
    for folder in sorted(environments_dir().iterdir()):
        if match := _FOLDER.fullmatch(folder.name):
            state = "being built" if is_held(lock_of(folder)) else state_of(folder)
            yield InstalledEnvironment(folder=folder, state=state, record=read_record(folder), **match.groupdict())


def size_of(folder: Path) -> int:
    """Return a folder's bytes on the disk; files that uv shares with its cache count in full."""
    total, folders = 0, [str(folder)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total


def users_of(folder: Path) -> list[int]:
    """Return the ids of this machine's processes that run the environment's programs; [] if there is no /proc."""
    inside = os.fsencode(folder / "bin") + b"/"
    users = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if entry.read_bytes().startswith(inside):
                users.append(int(entry.parent.name))
        except OSError:  # the process has ended, or is another user's
            continue
    return sorted(users)


def remove(folder: Path) -> None:
    """Remove an environment from the disk. UserError if it is in use or being built."""
    if users := users_of(folder):
        raise UserError(f"in use by process {', '.join(map(str, users))}; end it first", where=str(folder))
    try:
        with exclusive_access(folder, "removes it", say=None):
            (folder / READY).unlink(missing_ok=True)  # first: half an environment is never used
            shutil.rmtree(folder)
            log_of(folder).unlink(missing_ok=True)
    except BlockingIOError as error:
        raise UserError(f"not removed, because of {holder_of(folder)}", where=str(folder)) from error
