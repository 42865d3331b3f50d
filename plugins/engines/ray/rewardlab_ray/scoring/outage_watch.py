"""Lines for the user about an actor that scores and does not answer: at the start, while it lasts, at the end."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab.errors import one_line
from rewardlab.text import format_duration, progress_interval_s

from rewardlab_ray.user_lines import say

LOOK_S = 1.0
"""seconds between two looks at the actors"""
SILENT_S = 30.0
"""an actor that has not answered for so long is said to be out of reach"""


@dataclass
class _WatchedActor:
    """An actor, the call to it that is under way, and its outage, if there is one."""

    actor: Any
    call: Any = None
    asked: float = 0.0
    waiting: int = 0
    """what waited for it, or was under way there, when it last answered"""
    down_since: float | None = None
    next_line: float = field(default=0.0)


class OutageWatch:
    """A thread in the driver that calls `waiting` of every actor, and reports one that is out of reach. Close it.

    actors: by what they are called in the lines, such as "scorer 0". The number that an outage's lines have is that of
    the groups that were under way at a scorer, and of the calls of all scorers that wait for the coordinator.
    """

    def __init__(self, coordinator: Any, scorers: Mapping[str, Any], tell: Callable[[str], None] = say) -> None:
        self._coordinator = _WatchedActor(coordinator)
        self._scorers = {name: _WatchedActor(actor) for name, actor in scorers.items()}
        self._tell = tell
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="rewardlab-outages", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Look no more; calling it again does nothing."""
        self._ended.set()
        self._thread.join(LOOK_S * 5)

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            calls = 0
            for name, scorer in self._scorers.items():
                if (answer := self._look(name, scorer)) is not None:
                    scorer.waiting = answer[0]
                    calls += answer[1]
                self._tell_lasting(name, scorer, f"{scorer.waiting:,} groups were under way there")
            self._look("the coordinator", self._coordinator)
            self._tell_lasting("the coordinator", self._coordinator, f"{calls:,} calls wait for it")

    def _look(self, name: str, watched: _WatchedActor) -> Any:
        """Return the answer to the call under way, and make the next one; None without an answer."""
        import ray

        now = time.monotonic()
        if watched.call is None:
            watched.call, watched.asked = watched.actor.waiting.remote(), now
        ready, _ = ray.wait([watched.call], timeout=0.2)
        if not ready:
            if now - watched.asked > SILENT_S:
                self._lost(name, watched, f"it has not answered for {SILENT_S:.0f} s")
            return None
        call, watched.call = watched.call, None
        try:
            answer = ray.get(call)
        except ray.exceptions.RayError as error:
            self._lost(name, watched, one_line(error))
            return None
        self._back(name, watched)
        return answer

    def _lost(self, name: str, watched: _WatchedActor, why: str) -> None:
        if watched.down_since is None and not self._ended.is_set():
            now = time.monotonic()
            watched.down_since, watched.next_line = now, now + progress_interval_s()
            self._tell(f"warning: {name} is out of reach; its calls wait while Ray restarts it ({why})")

    def _back(self, name: str, watched: _WatchedActor) -> None:
        if watched.down_since is not None:
            lasted = format_duration(time.monotonic() - watched.down_since)
            watched.down_since = None
            self._tell(f"{name} is back after {lasted}")

    def _tell_lasting(self, name: str, watched: _WatchedActor, waiting: str) -> None:
        now, interval = time.monotonic(), progress_interval_s()
        if watched.down_since is not None and interval > 0 and now >= watched.next_line and not self._ended.is_set():
            watched.next_line = now + interval
            self._tell(
                f"warning: {name} has been out of reach for {format_duration(now - watched.down_since)}; {waiting}"
            )
