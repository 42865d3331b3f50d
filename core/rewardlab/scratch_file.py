"""The hidden file beside a target that takes its place once it is whole; the next writer uses what a kill left."""

import errno
import fcntl
import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from rewardlab.errors import name_target


def scratch_file(path: Path) -> tuple[Path, int]:
    """Return a file beside `path` that nobody else writes, and its descriptor: the same each time, while it is free."""
    usual = path.with_name(f".{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}.writing")
    number = _held_alone(usual, path)
    if number is not None:
        return usual, number
    another = path.with_name(f".{secrets.token_hex(8)}.writing")
    return another, _opened(another, path, os.O_EXCL)


def _held_alone(scratch: Path, target: Path) -> int | None:
    """Return the descriptor of a file that this process alone writes; None if it is another's, or cannot be held."""
    try:
        number = _opened(scratch, target, os.O_NOFOLLOW)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.ELOOP):  # another user's, or a link
            return None
        raise
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(number), os.stat(scratch)):  # and is not what another has written meanwhile
                return number
    except BlockingIOError:
        pass
    except OSError:  # this file system has no locks, so that nobody holds it
        scratch.unlink(missing_ok=True)
    os.close(number)
    return None


def _opened(scratch: Path, target: Path, how: int) -> int:
    try:
        return os.open(scratch, os.O_WRONLY | os.O_CREAT | how, 0o666)
    except OSError as error:
        name_target(error, scratch, target)
        raise
