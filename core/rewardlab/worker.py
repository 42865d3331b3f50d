"""Rewards in worker processes: the host's side.

A pool keeps up to `size` spawned processes (worker_process.py), each with the reward built in it, and speaks to
them in JSON lines over pipes.
"""

import asyncio
import json
import os
import sys
import weakref
from collections.abc import Sequence
from typing import Any

from rewardlab import worker_process
from rewardlab.specs import Config, Context, RewardSpec
from rewardlab.types import Completion, Group, Sample, Score
from rewardlab.worker_child import (
    START_LIMIT,
    Child,
    PluginRaised,
    WorkerDied,
    WorkerError,
    WorkerStartError,
    WorkerTimeout,
)
from rewardlab.worker_crew import Call, Crew
from rewardlab.worker_process import unjson

__all__ = ["PluginRaised", "WorkerDied", "WorkerError", "WorkerPool", "WorkerStartError", "WorkerTimeout"]

Item = tuple[Sample, Completion]


class WorkerPool:
    """The processes of one reward, for any thread and event loop; ended by `close`, the collector or at exit.

    use: "plugin/name" as in a recipe; a process finds and builds it as the host would, without judges.
    size: processes at most; one more is started when a call finds all of them busy.
    threads: math threads of each process.
    python: the interpreter of another environment, which has rewardlab and the plugin; None is the host's, and the
        host's sys.path goes with it.
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
    ):
        if size < 1 or threads < 1:
            raise ValueError(f"{use}: size and threads of a worker pool are at least 1, not {size} and {threads}")
        self.size = size
        self._use, self._timeout = use, spec.timeout
        hello = {
            "path": path_of(python),
            "use": use,
            "options": options.model_dump(mode="json", by_alias=True, round_trip=True),
            "context": {"seed": context.seed, "cache_dir": str(context.cache_dir), "device": context.device},
            "limit": START_LIMIT,
        }
        greeting, command = as_line(hello), command_of(python)
        self._crew = Crew(use, size, lambda: Child(use, command, threads, greeting))
        weakref.finalize(self, self._crew.close)

    @property
    def restarts(self) -> int:
        """Processes started in place of one that died or was killed at a deadline."""
        return self._crew.restarts

    def warm(self) -> None:
        """Have a process ready while other work is done. Returns at once; the first call says what failed."""
        self._crew.submit(Call(None, 0.0, lambda _: None).run)

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """Scores for completion and batch scope, as the plugin gave them: number and range are unchecked.

        Raises WorkerTimeout after `spec.timeout` seconds for one item and a tenth of that for each further
        one, counted from when a process has the call; PluginRaised, WorkerDied, WorkerStartError.
        """
        if not items:
            return []
        use, limit = self._use, limit_of(len(items), self._timeout)
        call = Call(lambda: _request(use, items, limit), limit, _scores)
        self._crew.submit(call.run)
        scores = await asyncio.wrap_future(call.future)
        first, alone = items[:1], self._timeout
        self._crew.good = (lambda: _request(use, first, alone), alone)
        return scores

    async def score_group(self, group: Group) -> list[Score]:
        """Scores for group scope; otherwise as `score`."""
        return await self.score([(group.sample, completion) for completion in group.completions])

    def close(self) -> None:
        """Kill every process; calls under way raise WorkerError. Idempotent, from any thread."""
        self._crew.close()


def path_of(python: str | None) -> list[str] | None:
    """The sys.path that a process takes over from this one; None in another environment."""
    return [str(place) or os.getcwd() for place in sys.path] if python is None else None


def command_of(python: str | None) -> list[str]:
    """What starts a worker process: with this interpreter, or that of another environment and none of our packages."""
    start = [sys.executable, "-P"] if python is None else [python, "-I"]
    return [*start, worker_process.__file__]


def limit_of(count: int, timeout: float) -> float:
    """Seconds for a call of so many items: a tenth of the first one's for each further one."""
    return timeout * (1 + (count - 1) / 10)


def as_line(message: dict[str, Any]) -> bytes:
    """A message as the pipes carry it: in ASCII, so that lone surrogates and separators survive."""
    return json.dumps(message).encode() + b"\n"


def _request(use: str, items: Sequence[Item], limit: float) -> bytes:
    try:
        return as_line(_told(items) | {"limit": limit})
    except (TypeError, ValueError, RecursionError) as error:
        wrong = ((sample.id, unjson(dict(sample.fields), "fields")) for sample, _ in items)
        told = [f"sample {name!r}: {what}" for name, what in wrong if what]
        raise WorkerError(f"{use}: {told[0] if told else error}") from error


def _told(items: Sequence[Item]) -> dict[str, Any]:
    places: dict[int, int] = {}
    samples: list[dict[str, Any]] = []
    completions: list[tuple[int, dict[str, Any]]] = []
    for sample, completion in items:  # a group's completions share their sample, which may be long
        place = places.setdefault(id(sample), len(samples))
        if place == len(samples):
            samples.append(
                {
                    "id": sample.id,
                    "prompt": [dict(message) for message in sample.prompt],
                    "fields": dict(sample.fields),
                    "source": sample.source,
                }
            )
        text, count = completion.text, completion.token_count
        completions.append((place, {"text": text, "token_count": count, "truncated": completion.truncated}))
    return {"samples": samples, "completions": completions}


def _scores(answer: dict[str, Any]) -> list[Score]:
    return [Score(value=value, info=info, error=error) for value, info, error in answer["scores"]]
