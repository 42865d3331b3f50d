"""An event loop on which waiting takes no time, so that what a deadline does is no matter of how busy a machine is."""

import asyncio
import heapq
import math
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from rewardlab.concurrency.threads import LoopThread


class Clock(asyncio.SelectorEventLoop):
    """An event loop on which waiting takes no time; `now` is what it added up to."""

    now = 1000.0

    def time(self) -> float:
        return self.now

    monotonic = time

    def _run_once(self) -> None:
        while self._scheduled and self._scheduled[0].cancelled():
            heapq.heappop(self._scheduled)._scheduled = False
            self._timer_cancelled_count -= 1
        if not self._ready and self._scheduled:
            self.now = max(math.nextafter(self.now, math.inf), self._scheduled[0].when())
        super()._run_once()


@contextmanager
def clock_home(*modules: ModuleType) -> Iterator[Any]:
    """A LoopThread on such a loop, whose time these modules read, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "new_event_loop", Clock)
        home = LoopThread("home")
        patch.undo()
        for module in modules:
            patch.setattr(module, "time", home.loop)
        yield home
        home.close()
