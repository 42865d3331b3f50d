"""Rewards whose calls are watched: if one lasts long, the user reads which, on what, and for how long.

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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from rewardlab.group_stream import GroupStream
from rewardlab.scoring import call_watcher
from rewardlab.scoring.call_watcher import MAX_CALLS, NOTE, SLOT
from rewardlab.scoring.executors import awaiting
from rewardlab.specs import RewardSpec
from rewardlab.text import printable
from rewardlab.text.redaction import redact
from rewardlab.types import Completion, Sample

NOTICE_S = 30.0
"""seconds after which a call is reported; then again after twice that time, and so on"""


def watched(score: Callable[[Any], Any], spec: RewardSpec, title: str) -> Callable[[Any], Any]:
    """Return a reward's `score` whose calls are watched if nothing else ends them; `title` names it in the lines."""
    if spec.runs not in ("inline", "thread") or spec.judges:
        return score

    def call(items: Sequence[tuple[Sample, Completion]]) -> Any:
        with _noted(title, items[0][0], len(items)):
            return score(items)

    async def call_group(stream: GroupStream) -> Any:
        if not stream.complete:  # it waits for completions that are still to come, and is not at work
            return await awaited(stream)
        with _noted(title, stream.sample, stream.size):
            return await awaited(stream)

    awaited = awaiting(score)
    return call_group if spec.scope == "group" else call


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
        """Note a call that begins; return its place, None if too many are under way."""
        try:
            place = self._free.pop()
        except IndexError:
            return None
        line = text.encode("utf-8", "backslashreplace")[: SLOT - NOTE.size]
        self._memory[place * SLOT + NOTE.size : place * SLOT + NOTE.size + len(line)] = line
        NOTE.pack_into(self._memory, place * SLOT, time.monotonic(), len(line))
        return place

    def remove(self, place: int) -> None:
        """Note that the call at this place has ended."""
        NOTE.pack_into(self._memory, place * SLOT, 0.0, 0)
        self._free.append(place)

    def close(self) -> None:
        """End the watching process."""
        if os.getpid() == self.owner:
            self._process.communicate()


def _memory_file() -> BinaryIO:
    """Return a file in memory; a temporary one if the system has none (macOS)."""
    if hasattr(os, "memfd_create"):  # a page of a file on a full disk would end the process when it is written to
        return os.fdopen(os.memfd_create("rewardlab"), "w+b")
    return cast(BinaryIO, tempfile.TemporaryFile())


_lock = threading.Lock()
_of_process: dict[int, _CallNotes | None] = {}
"""id of a process -> its notes, opened at the first call; a fork has another id"""


def _opened() -> _CallNotes | None:
    """Return the notes of this process; None if it has no memory, process or limit left for them."""
    if (pid := os.getpid()) not in _of_process:
        with _lock:
            if pid not in _of_process:
                notes = None
                with suppress(OSError):  # watching is a courtesy, and no reward fails by it
                    notes = _CallNotes()
                    atexit.register(notes.close)
                _of_process[pid] = notes
    return _of_process[pid]


@contextmanager
def _noted(title: str, first: Sample, count: int) -> Iterator[None]:
    count_text = f"{count} completions, the first of " if count > 1 else ""
    notes = _opened()
    text = printable(redact(f"{title} has been working on {count_text}{first.place()}"))
    place = None if notes is None else notes.add(text)
    try:
        yield
    finally:
        if notes is not None and place is not None:
            notes.remove(place)
