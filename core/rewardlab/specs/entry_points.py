"""The entry points of what is installed: read once, and again after something is installed or sys.path changes."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rewardlab.errors import one_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


def entry_points_of(group: str) -> "EntryPoints":
    """Return the installed entry points of a group; a scan of all takes 4 ms, so each job has one."""
    return _of_group(states_of_path(), group)


def scanned_entry_points() -> "tuple[EntryPoints, Sequence[str]]":
    """Return all installed entry points, and a line for each distribution whose entry points are malformed."""
    return _scanned(states_of_path())


def states_of_path() -> tuple[tuple[str, int, int], ...]:
    """Return what changes about the folders of sys.path when a distribution is put into one or taken away."""
    return tuple(_state_of(folder) for folder in sys.path)


def _state_of(folder: str) -> tuple[str, int, int]:
    try:
        state = os.stat(folder or ".")
    except OSError:
        return folder, 0, 0
    return folder, state.st_ino, state.st_mtime_ns


@lru_cache(maxsize=16)
def _of_group(states: object, group: str) -> "EntryPoints":
    entry_points: EntryPoints = _scanned(states)[0].select(group=group)
    return entry_points


@lru_cache(maxsize=4)
def _scanned(_states: object) -> tuple[Any, Sequence[str]]:
    """Scan what is installed. Of two distributions of one name the first on sys.path counts."""
    from importlib.metadata import EntryPoints, distributions, entry_points

    with suppress(Exception):
        return entry_points(), ()
    points: list[EntryPoint] = []
    unreadable: list[str] = []
    seen: set[str | None] = set()
    for distribution in distributions():  # one malformed file had ended the scan of all
        name = None
        try:
            name = distribution.metadata["Name"]
            points += [] if name in seen else distribution.entry_points
        except Exception as error:
            where = distribution.locate_file("") if name is None else name
            unreadable.append(f"the entry points of {where} cannot be read: {one_line(error)}; install it again")
        seen.add(name)
    return EntryPoints(points), unreadable
