"""The scorer of a reward in this process; a fork, in which none of the first one's threads runs, opens its own."""

import os
import threading
import weakref
from collections.abc import Callable

from rewardlab.errors import UserError
from rewardlab.scoring.scorer import Scorer


class OwnScorer:
    """A scorer that is open from the start; a fork gets another one at its first use.

    It ends by `close`, or in a thread of its own once nobody refers to this object.

    open_one: opens a scorer. forks: whether a fork may open one; else it gets a UserError.
    """

    def __init__(self, open_one: Callable[[], Scorer], forks: bool = True) -> None:
        self._open, self._forks = open_one, forks
        self._lock = threading.Lock()
        self._closed = False
        self.last: Scorer | None = None
        """The scorer of this process, also after `close`; None in a fork that has not scored yet."""
        self.get()
        _OPEN.add(self)

    def get(self) -> Scorer:
        """Return the scorer, from any thread. UserError after `close`, and in a fork that may open none."""
        with self._lock:
            if self._closed:
                raise UserError("this reward is closed; load it again to score more")
            if self.last is None:
                self.last = self._open()
                self._end = weakref.finalize(self, _close_aside, self.last)
                self._end.atexit = False  # threads and processes end at exit by themselves
            return self.last

    def close(self) -> None:
        """Close the scorer, if this process has one; closing again does nothing."""
        self._closed = True
        if self.last is not None:
            self._end.detach()
            self.last.close()

    def leave_to_parent(self) -> None:
        """Take the scorer as another process's; in a fork, before anything else runs there."""
        self._lock = threading.Lock()  # a thread that the fork lacks may have held the other one
        if self.last is not None:
            self._end.detach()
            _OF_PARENTS.append(self.last)
        self.last = None
        if not self._forks:
            self._open = _refuse


_OPEN: "weakref.WeakSet[OwnScorer]" = weakref.WeakSet()
_OF_PARENTS: list[Scorer] = []
"""never collected: their event loops share the kernel's objects with the parent's"""


def _in_fork() -> None:
    for own in list(_OPEN):
        own.leave_to_parent()


def _refuse() -> Scorer:
    problem = "this reward keeps its judges' answers in a folder, so a fork of its process cannot use it"
    raise UserError(f"{problem}; load another one there")


def _close_aside(scorer: Scorer) -> None:
    threading.Thread(target=scorer.close, daemon=True).start()  # the collector may run on the scorer's own loop


os.register_at_fork(after_in_child=_in_fork)
