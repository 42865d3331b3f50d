"""Rewards in worker processes: the host's side.

A pool keeps up to `size` spawned processes (see `program`), each with the reward built in it, and exchanges JSON
lines with them over pipes.
"""

import asyncio
import weakref
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from rewardlab.specs import Config, Context, RewardSpec
from rewardlab.types import Completion, Group, Sample, Score
from rewardlab.workers.errors import WorkerError
from rewardlab.workers.process import WorkerProcess, message_line
from rewardlab.workers.process_pool import ProcessCall, ProcessPool
from rewardlab.workers.worker_main import describe_non_json

Item = tuple[Sample, Completion]


class WorkerPool:
    """The processes of one reward, for any thread and event loop; they end by `close`, with the pool, or at exit.

    Args:
        use: "plugin/name" as in a recipe; a process finds and builds the reward as the host would, without judges.
        size: the most processes; another one is started when a call finds all of them busy.
        threads: math threads of each process.
        python: the interpreter of another environment, which has rewardlab and the plugin; None is the host's,
            whose sys.path goes with it.
        title: what the user knows the reward by, in front of what its processes print; absent: `use`.
    """

    def __init__(
        self,
        *,
        use: str,
        spec: RewardSpec,
        options: Config,
        context: Context,
        size: int = 1,
        threads: int = 1,
        python: str | None = None,
        title: str | None = None,
    ) -> None:
        if size < 1 or threads < 1:
            raise ValueError(f"{use}: size and threads of a worker pool are at least 1, not {size} and {threads}")
        self.size = size
        self._use, self._timeout = use, spec.timeout
        hello = {
            "use": use,
            "options": options.model_dump(mode="json", by_alias=True, round_trip=True),
            "context": {"seed": context.seed, "cache_dir": str(context.cache_dir), "device": context.device},
        }
        start = partial(WorkerProcess, use, hello, python=python, threads=threads, growth_limit=spec.memory)
        self._processes = ProcessPool(use, size, start, title=title)
        weakref.finalize(self, self._processes.close)

    @property
    def restarts(self) -> int:
        """The number of processes started in place of one that died or was killed at a deadline."""
        return self._processes.restarts

    def warm(self) -> None:
        """Have a process ready while other work is done. Returns at once; the first call says what failed."""
        self._processes.warm()

    def get_ready(self) -> None:
        """Have a process ready and wait for it; WorkerStartError or WorkerDiedError if it cannot be built."""
        call = ProcessCall(None, 0.0, lambda _: None)
        self._processes.submit(call.run)
        call.future.result()

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """Return the scores of completion and batch scope, as the plugin gave them: number and range are unchecked.

        Raises WorkerTimeout after `spec.timeout` seconds for one item and a tenth of that for each further
        one, counted from when a process has the call; WorkerMemoryError beyond `spec.memory`; PluginRaisedError,
        WorkerDiedError, WorkerStartError.
        """
        if not items:
            return []
        scores = await asyncio.wrap_future(self.submit(items))
        use, first, alone = self._use, items[:1], self._timeout
        self._processes.good = (lambda: _request(use, first, alone), alone)
        return scores

    def submit(self, items: Sequence[Item]) -> "Future[list[Score]]":
        """Ask for the scores of at least one item, from any thread, and return the future of what `score` returns."""
        use, limit = self._use, _call_limit(len(items), self._timeout)
        call = ProcessCall(lambda: _request(use, items, limit), limit, _scores)
        self._processes.submit(call.run)
        return call.future

    async def score_group(self, group: Group) -> list[Score]:
        """Return the scores of group scope; all else is as in `score`."""
        return await self.score([(group.sample, completion) for completion in group.completions])

    def close(self) -> None:
        """Kill every process, from any thread; calls under way raise WorkerError. Closing again does nothing."""
        self._processes.close()


def _call_limit(count: int, timeout: float) -> float:
    """Return the seconds for a call of `count` items: a tenth of the first one's for each further one."""
    return timeout * (1 + (count - 1) / 10)


def _request(use: str, items: Sequence[Item], limit: float) -> bytes:
    asked = _as_json(items) | {"limit": limit}
    try:
        return message_line(asked)
    except (TypeError, ValueError, RecursionError):  # a field may hold anything, such as a picture
        for sample in asked["samples"]:
            sample |= _without_what_json_lacks(sample["fields"])
    try:
        return message_line(asked)
    except (TypeError, ValueError, RecursionError) as error:
        raise WorkerError(f"{use}: {error}") from error


def _without_what_json_lacks(fields: dict[str, Any]) -> dict[str, Any]:
    """Return {"fields": those that JSON can carry, "left_out": why each of the others is not among them}."""
    left_out = {name: why for name in fields if (why := describe_non_json({name: fields[name]}, "fields"))}
    return {"fields": {name: fields[name] for name in fields if name not in left_out}, "left_out": left_out}


def _as_json(items: Sequence[Item]) -> dict[str, Any]:
    places: dict[int, int] = {}
    samples: list[dict[str, Any]] = []
    completions: list[tuple[int, dict[str, Any]]] = []
    for sample, completion in items:  # a group's completions share their sample, which may be long
        place = places.setdefault(id(sample), len(samples))
        if place == len(samples):
            samples.append(sample.as_dict())
        completions.append((place, completion.as_dict()))
    return {"samples": samples, "completions": completions}


def _scores(answer: dict[str, Any]) -> list[Score]:
    return [Score(value=value, info=info, error=error) for value, info, error in answer["scores"]]
