"""A component that two scorers of the same groups have in common."""

import asyncio
import threading
from concurrent.futures import Future

from rewardlab.grouping import GroupStream
from rewardlab.lanes import Lane
from rewardlab.loops import LoopThread
from rewardlab.types import Group, Score


class SharedLane:
    """A lane that two ask for every group: it is scored once, for whoever asks first, and kept until the other asks.

    home: the loop of the lane; both may ask from loops of their own. Groups go by their sample's id; where one of them
    sees another prompt, fields or completions under it, each has its own scored.
    """

    def __init__(self, lane: Lane, home: LoopThread):
        self._lane, self._home = lane, home
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[Group, Future[list[Score]]]] = {}

    async def score(self, stream: GroupStream) -> list[Score]:
        """As the lane itself, once the group is complete."""
        group = await stream.group()
        with self._lock:
            first, scores = self._kept.pop(group.sample.id, (None, None))
            if scores is None or first != group:
                kept = scores is None
                scores = self._home.submit(self._lane.score(stream))
                if kept:
                    self._kept[group.sample.id] = (group, scores)
        given = asyncio.wrap_future(scores)
        return list(await asyncio.shield(given))  # who gives up does so for itself alone
