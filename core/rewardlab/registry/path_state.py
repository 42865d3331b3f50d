"""The state of sys.path, by which what was found of installed distributions is kept, or looked for again."""

import os
import sys


def states_of_path() -> tuple[tuple[str, int, int], ...]:
    """Return what changes about the folders of sys.path when a distribution is put into one or taken away."""
    return tuple(_state_of(folder) for folder in sys.path)


def _state_of(folder: str) -> tuple[str, int, int]:
    try:
        found = os.stat(folder or ".")
    except OSError:
        return folder, 0, 0
    return folder, found.st_ino, found.st_mtime_ns
