"""Rewards in worker processes: the host's side.

A pool keeps up to `size` spawned processes (worker_process.py), each with the reward built in it, and speaks
to them in JSON lines over pipes. A process that passes its deadline is killed and replaced; one that dies is
replaced and its call tried once more. Nothing outlives the pool, nor a host that is killed.
"""

import asyncio
import json
import os
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
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
from rewardlab.worker_process import unjson

DEATHS_IN_A_ROW = 3  # over the pool; then it gives up
CLOSE_LIMIT = 10.0  # seconds that `close` waits for processes that it has killed

__all__ = ["PluginRaised", "WorkerDied", "WorkerError", "WorkerPool", "WorkerStartError", "WorkerTimeout"]

Item = tuple[Sample, Completion]


class WorkerPool:
    """The processes of one reward, for any thread and event loop; ended by `close`, the collector or at exit.

    use: "plugin/name" as in a recipe; a process finds and builds it as the host would, without judges.
    size: processes at most; one more is started when a call finds all of them busy.
    threads: math threads of each process.
    python: the interpreter of another environment; None is the host's, and the host's sys.path goes with it.
    module: path of a Python file that stands in for the plugin in an environment without rewardlab;
        worker_process.py says what it defines. Not for group scope.
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
        module: str | None = None,
    ):
        if size < 1 or threads < 1:
            raise ValueError(f"{use}: size and threads of a worker pool are at least 1, not {size} and {threads}")
        if module is not None and spec.scope == "group":
            raise ValueError(f"{use}: a reward of group scope needs rewardlab in its environment")
        self.size = size
        self._timeout = spec.timeout
        hello = {
            "path": [str(place) or os.getcwd() for place in sys.path] if python is None else None,
            ("use" if module is None else "file"): use if module is None else module,
            "options": options.model_dump(mode="json", by_alias=True, round_trip=True),
            "context": {"seed": context.seed, "cache_dir": str(context.cache_dir), "device": context.device},
            "limit": START_LIMIT,
        }
        start = [sys.executable, "-P"] if python is None else [python, "-I"]  # no host's packages over there
        command = [*start, worker_process.__file__]
        self._crew = _Crew(use, size, lambda: Child(use, command, threads, _line(hello)))
        weakref.finalize(self, self._crew.close)

    @property
    def restarts(self) -> int:
        """Processes started in place of one that died or was killed at a deadline."""
        return self._crew.restarts

    def warm(self) -> None:
        """Have a process ready while other work is done. Returns at once; the first call says what failed."""
        self._crew.submit((), 0.0)

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """Scores for completion and batch scope, as the plugin gave them: number and range are unchecked.

        Raises WorkerTimeout after `spec.timeout` seconds for one item and a tenth of that for each further
        one, counted from when a process has the call; PluginRaised, WorkerDied, WorkerStartError.
        """
        if not items:
            return []
        limit = self._timeout * (1 + (len(items) - 1) / 10)
        return await asyncio.wrap_future(self._crew.submit(items, limit))

    async def score_group(self, group: Group) -> list[Score]:
        """Scores for group scope; otherwise as `score`."""
        return await self.score([(group.sample, completion) for completion in group.completions])

    def close(self) -> None:
        """Kill every process; calls under way raise WorkerError. Idempotent, from any thread."""
        self._crew.close()


class _Crew:
    """A pool's processes, and the threads that wait for them. Knows no pool, so that a pool can be collected.

    Plain daemon threads: those of an executor are joined at exit before anything can end what they wait for.
    """

    def __init__(self, use: str, size: int, start: Callable[[], "Child"]):
        self.restarts = 0
        self._use, self._size, self._start = use, size, start
        self._lock = threading.RLock()  # the collector may call `close` in the middle of anything
        self._jobs: queue.SimpleQueue = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._children: set[Child] = set()
        self._free: list[Child] = []
        self._ended = self._deaths = 0
        self._over: tuple[type[WorkerError], str] | None = None
        self._closed = False
        self._owner = os.getpid()

    def submit(self, items: Sequence[Item], limit: float) -> "Future[list[Score]]":
        if os.getpid() != self._owner:
            raise WorkerError(f"{self._use}: a worker pool cannot be used in a fork of its process")
        future: Future[list[Score]] = Future()
        with self._lock:
            self._refuse_if_over()
            while len(self._threads) < self._size:
                thread = threading.Thread(target=self._serve, name=self._use, daemon=True)
                thread.start()
                self._threads.append(thread)
            self._jobs.put((items, limit, future))
        return future

    def close(self) -> None:
        if os.getpid() != self._owner:
            return  # this is a fork; the processes are its parent's
        with self._lock:
            if not self._closed:
                self._closed, self._over = True, (WorkerError, "the worker pool was closed")
                for _ in self._threads:
                    self._jobs.put(None)
            for child in self._children:
                child.kill()
        until = time.monotonic() + CLOSE_LIMIT
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))
        with self._lock:
            while self._free:
                self._free.pop().end()

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._do(*job)
            del job  # or it would be kept until the next one comes

    def _do(self, items: Sequence[Item], limit: float, future: "Future[list[Score]]") -> None:
        wanted = future.set_running_or_notify_cancel()
        scores: list[Score] = []
        failure: BaseException | None = None
        try:
            if wanted:
                scores = self._score(items, limit)
        except BaseException as error:
            failure = error
        if failure is not None:
            future.set_exception(failure)
        elif wanted:
            future.set_result(scores)
        del failure, future  # the exception, this frame and the future would keep each other

    def _score(self, items: Sequence[Item], limit: float) -> list[Score]:
        if not items:  # `warm`
            self._ask(None, limit)
            return []
        try:
            request = _line(_request(items) | {"limit": limit})
        except (TypeError, ValueError, RecursionError) as error:
            wrong = ((sample.id, unjson(dict(sample.fields), "fields")) for sample, _ in items)
            told = [f"sample {name!r}: {what}" for name, what in wrong if what]
            raise WorkerError(f"{self._use}: {told[0] if told else error}") from error
        try:
            answer = self._ask(request, limit)
        except WorkerDied:
            answer = self._ask(request, limit)
        if "raised" in answer:
            raise PluginRaised(answer["raised"])
        return [Score(value=value, info=info, error=error) for value, info, error in answer["scores"]]

    def _ask(self, request: bytes | None, limit: float) -> dict[str, Any]:
        """The answer of one process; without a request, only have one that is ready."""
        with self._lock:
            self._refuse_if_over()
            child = self._free.pop() if self._free else None
        try:
            child = child or self._hire()
            child.get_ready()
            answer = child.ask(request, limit) if request else {}
        except WorkerError as error:
            self._note(error)
            raise
        finally:
            if child is not None:
                self._release(child)
        self._deaths = 0
        return answer

    def _hire(self) -> "Child":
        child = self._start()
        with self._lock:
            self._children.add(child)
            if self._ended:
                self._ended -= 1
                self.restarts += 1
            if self._closed:
                child.kill()
        return child

    def _release(self, child: "Child") -> None:
        with self._lock:
            if child.ended:
                self._children.discard(child)
                self._ended += 1
            else:
                self._free.append(child)

    def _note(self, error: WorkerError) -> None:
        """Draw the consequences for later calls."""
        with self._lock:
            if self._closed:
                self._refuse_if_over()
            if isinstance(error, WorkerStartError):
                self._over = (WorkerStartError, str(error))
            elif isinstance(error, WorkerDied):
                self._deaths += 1
                if self._deaths >= DEATHS_IN_A_ROW:
                    why = f"gave up after {self._deaths} deaths in a row; the last: {error}"
                    self._over = (WorkerDied, why)

    def _refuse_if_over(self) -> None:
        if self._over is not None:
            kind, why = self._over
            raise kind(why)


def _request(items: Sequence[Item]) -> dict[str, Any]:
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


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"  # ASCII, so that lone surrogates and separators survive
