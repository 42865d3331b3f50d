"""Rewards whose calls are watched: where one lasts long, the user is told which, on what, and for how long.

Rewards that run in workers have deadlines. Others have none, and one that hangs may hold the interpreter's lock, as a
regular expression does, so that no thread of this process could say so. A small process (`call_watcher`) does: it reads
what is under way from memory that both share.
"""

import atexit
import mmap
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from rewardlab.group_stream import GroupStream
from rewardlab.redaction import redact
from rewardlab.scoring import call_watcher
from rewardlab.scoring.call_watcher import MAX_CALLS, NOTE, SLOT
from rewardlab.scoring.executors import awaiting
from rewardlab.specs import RewardSpec
from rewardlab.text import printable
from rewardlab.types import Completion, Sample

NOTICE_S = 30.0
"""seconds after which a call is told; then again after twice that time, and so on"""


def watched(reward: Any, spec: RewardSpec, title: str) -> Any:
    """Return a reward whose calls are watched, where nothing else ends them; `title` names it in what is told."""
    if spec.runs not in ("inline", "thread") or spec.judges:
        return reward
    return _WatchedGroups(reward, title) if spec.scope == "group" else _WatchedItems(reward, title)


class _WatchedItems:
    """A reward of completion or batch scope, whose calls are noted while they last."""

    def __init__(self, reward: Any, title: str) -> None:
        self._reward, self._title = reward, title

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> Any:
        with _noted(self._title, items[0][0], len(items)):
            return self._reward.score(items)


class _WatchedGroups:
    """A reward of group scope; a group of which completions are still to come is not at work, but waits."""

    def __init__(self, reward: Any, title: str) -> None:
        self._score, self._title = awaiting(reward.score), title

    async def score(self, stream: GroupStream) -> Any:
        if not stream.complete:
            return await self._score(stream)
        with _noted(self._title, stream.sample, stream.size):
            return await self._score(stream)


class _CallNotes:
    """Notes of the calls under way, in memory that the watching process reads."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._free = list(range(MAX_CALLS))
        with _memory_file() as file:
            file.truncate(MAX_CALLS * SLOT)
            self._memory = mmap.mmap(file.fileno(), MAX_CALLS * SLOT)
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", call_watcher.__file__, str(file.fileno()), str(NOTICE_S)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[file.fileno()],
                start_new_session=True,  # an interrupt at the terminal is the host's
            )

    def add(self, text: str) -> int | None:
        """Note a call that begins; return its place, None where too many are under way."""
        try:
            place = self._free.pop()
        except IndexError:
            return None
        line = text.encode("utf-8", "backslashreplace")[: SLOT - NOTE.size]
        self._memory[place * SLOT + NOTE.size : place * SLOT + NOTE.size + len(line)] = line
        NOTE.pack_into(self._memory, place * SLOT, time.monotonic(), len(line))
        return place

    def remove(self, place: int | None) -> None:
        """Note that the call at this place has ended."""
        if place is not None:
            NOTE.pack_into(self._memory, place * SLOT, 0.0, 0)
            self._free.append(place)

    def close(self) -> None:
        """End the watching process."""
        if os.getpid() == self.owner:
            self._process.communicate()


class _NoNotes:
    """In the place of notes where this machine has no room for them: what is not watched is scored all the same."""

    def __init__(self) -> None:
        self.owner = os.getpid()

    def add(self, text: str) -> int | None:
        return None

    def remove(self, place: int | None) -> None:
        """Do nothing."""


_lock = threading.Lock()
_notes: _CallNotes | _NoNotes | None = None


def _memory_file() -> BinaryIO:
    """Return a file in memory; where the system has none (macOS), a temporary one."""
    if hasattr(os, "memfd_create"):  # a page of a file on a full disk would end the process when it is written to
        return os.fdopen(os.memfd_create("rewardlab"), "w+b")
    return cast(BinaryIO, tempfile.TemporaryFile())


def _opened() -> _CallNotes | _NoNotes:
    """Return the notes of this process, which are opened, with their watcher, at the first call."""
    global _notes
    if _notes is None or _notes.owner != os.getpid():
        with _lock:
            if _notes is None or _notes.owner != os.getpid():
                try:
                    _notes = opened = _CallNotes()
                    atexit.register(opened.close)
                except OSError:  # no memory, no process, or a limit: watching is a courtesy, and no reward fails by it
                    _notes = _NoNotes()
    return _notes


@contextmanager
def _noted(title: str, first: Sample, count: int) -> Iterator[None]:
    what = f"{count} completions, the first of " if count > 1 else ""
    notes = _opened()
    place = notes.add(printable(redact(f"{title} has been at work on {what}{first.place()}")))
    try:
        yield
    finally:
        notes.remove(place)
