"""A reward that runs in workers of another environment, asked as one that is built in this process.

Its environment has rewardlab and the plugin, and what the host's environment may lack.
"""

from collections.abc import Sequence
from typing import Any

from rewardlab import Config, Context, GroupStream, RewardSpec, Score
from rewardlab.scoring import Item
from rewardlab.workers import WorkerPool


def runs_in_environment(spec: Any, python: str | None) -> bool:
    """Return whether `score` would build the component itself with this interpreter, and not in the host."""
    return isinstance(spec, RewardSpec) and spec.runs == "worker" and python is not None


class RewardInEnvironment:
    """A reward in a worker process of its environment. It is built there when this object is made.

    Args:
        python: the environment's interpreter. WorkerStartError or WorkerDiedError if it cannot be built.
    """

    def __init__(self, spec: RewardSpec, use: str, python: str | None, options: Config, context: Context) -> None:
        self._group = spec.scope == "group"
        self._pool = WorkerPool(use=use, spec=spec, options=options, context=context, python=python)
        try:
            self._pool.get_ready()
        except BaseException:
            self._pool.close()
            raise

    def score(self, asked: Any) -> Any:
        """Return the Scores of items; of group scope, an awaitable of those of a stream.

        WorkerTimeout, WorkerDiedError or PluginRaisedError if the worker gives none.
        """
        return self._score_group(asked) if self._group else self._score_items(asked)

    def close(self) -> None:
        """End the process."""
        self._pool.close()

    def _score_items(self, items: Sequence[Item]) -> list[Score]:
        return self._pool.submit(items).result()

    async def _score_group(self, stream: GroupStream) -> list[Score]:
        return await self._pool.score_group(await stream.group())
