"""The executor of a component that two scorers of the same groups have in common."""

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future

from rewardlab import Group, GroupStream, Score
from rewardlab.concurrency import LoopThread
from rewardlab.scoring import Executor, Scorer


def shared_executors(scorer: Scorer, names: Mapping[str, str]) -> dict[str, Executor]:
    """Return executors of a scorer for another one, so that each of these components scores a group only once for both.

    The other scorer has the same seed and is asked for the same groups.

    Args:
        names: its name of a component -> the name that `scorer` has for it.
    """
    for name in names.values():
        scorer.executors[name] = SharedExecutor(scorer.executors[name], scorer.home)
    return {other_name: scorer.executors[name] for other_name, name in names.items()}


class SharedExecutor:
    """An executor that two scorers ask for every group.

    A group is scored once, for the scorer that asks first, and its scores are kept until the other one asks.

    Args:
        home: the loop of the executor; both may ask from loops of their own. Groups are matched by their sample's
            id; if the prompt, fields or completions under it differ, the executor scores each scorer's own group.
    """

    def __init__(self, executor: Executor, home: LoopThread) -> None:
        self._executor, self._home = executor, home
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[Group, Future[list[Score]]]] = {}

    async def score(self, stream: GroupStream) -> list[Score]:
        """Return the executor's scores, once the group is complete."""
        group = await stream.group()
        with self._lock:
            first, scores = self._kept.pop(group.sample.id, (None, None))
            if scores is None or first != group:
                kept = scores is None
                scores = self._home.submit(self._executor.score(stream))
                if kept:
                    self._kept[group.sample.id] = (group, scores)
        given = asyncio.wrap_future(scores)
        return list(await asyncio.shield(given))  # a caller that gives up must not cancel the other one's scores
