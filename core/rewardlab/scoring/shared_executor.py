"""The lane of a component that two scorers of the same groups have in common."""

import asyncio
import threading
from concurrent.futures import Future

from rewardlab.concurrency.threads import LoopThread
from rewardlab.group_stream import GroupStream
from rewardlab.scoring.executors import Lane
from rewardlab.types import Group, Score


class SharedLane:
    """A lane that two scorers ask for every group.

    A group is scored once, for the scorer that asks first, and its scores are kept until the other one asks.

    home: the loop of the lane; both may ask from loops of their own. Groups are matched by their sample's id; where the
    prompt, fields or completions under it differ, the lane scores each scorer's own group.
    """

    def __init__(self, lane: Lane, home: LoopThread) -> None:
        self._lane, self._home = lane, home
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[Group, Future[list[Score]]]] = {}

    async def score(self, stream: GroupStream) -> list[Score]:
        """Return the lane's scores, once the group is complete."""
        group = await stream.group()
        with self._lock:
            first, scores = self._kept.pop(group.sample.id, (None, None))
            if scores is None or first != group:
                kept = scores is None
                scores = self._home.submit(self._lane.score(stream))
                if kept:
                    self._kept[group.sample.id] = (group, scores)
        given = asyncio.wrap_future(scores)
        return list(await asyncio.shield(given))  # a caller that gives up must not cancel the other one's scores
