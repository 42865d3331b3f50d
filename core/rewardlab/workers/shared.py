"""Workers that components share: a Python file in a process of its own, which answers questions in JSON.

This is how a reward or a data step uses a model, in the host's environment or in one of its own: COMET's
requirements, say, collide with everybody else's. Components that open the same file with the same settings share one
process, so that no model is in memory twice, and questions that come while it is busy go together in its next call.
"""

import asyncio
import json
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError
from rewardlab.files import cache_dir, expanded
from rewardlab.workers.errors import PluginRaisedError, WorkerDiedError, WorkerMemoryError, WorkerTimeout
from rewardlab.workers.memory import KEEP_FREED_MEMORY
from rewardlab.workers.process import WorkerProcess, message_line
from rewardlab.workers.process_pool import ProcessPool

MAX_QUESTIONS = 1024
"""The most questions of one call: enough to sort by length, few enough that a process that dies loses little."""
FIRST_QUESTIONS = 64
"""The most questions of the first call, when nobody knows how long a question takes."""
PART = 16
"""Questions of one caller that stay together; further ones may go in other calls, together with those of others."""
SEVERAL = 2.0
"""Times `timeout`: the limit of a call of several questions, so that one that hangs does not hold the others long."""
SHARE_OF_LIMIT = 0.125
"""The share of its limit that a call should take at the pace of the last ones: there is room for longer texts."""
MODEL_START_LIMIT = 4 * 3600.0
"""Seconds for a process to load its model, which may have to be downloaded."""

Json = Any


class SharedWorker:
    """One component's access to a process that others may share."""

    def __init__(self, shared: "_SharedPool", timeout: float) -> None:
        self._shared, self._timeout = shared, timeout

    async def ask(self, questions: Sequence[Json]) -> list[Json]:
        """Return an answer to each question, in order; from any event loop.

        Raises PluginRaisedError if `answer` raised or gave another number of answers, WorkerTimeout (`timeout`
        seconds for one question, twice that for a call of several), WorkerMemoryError beyond the recipe's `memory`,
        WorkerDiedError if two processes died of these questions, WorkerStartError if the worker cannot be built.
        If a call fails, each of its parts is asked again by itself.
        """
        parts = [list(questions[k : k + PART]) for k in range(0, len(questions), PART)]
        pending = [asyncio.wrap_future(self._shared.submit(part, self._timeout)) for part in parts]
        return [answer for answers in await asyncio.gather(*pending) for answer in answers]

    @property
    def restarts(self) -> int:
        """The number of processes started in place of one that died or was killed at a deadline."""
        return self._shared.pool.restarts


class Workers:
    """The shared processes of one job, as a context manager; they end by `close`, with this object, or at exit.

    Args:
        say: called with each line that the user should read: how processes died, and what they print; absent:
            stderr.
    """

    def __init__(self, *, cache: Path | None = None, seed: int = 0, say: Callable[[str], None] | None = None) -> None:
        self._cache, self._seed, self._say = cache or cache_dir(), seed, say
        self._shared: dict[tuple[Any, ...], _SharedPool] = {}

    def of(
        self,
        *,
        use: str,
        python: str | None = None,
        device: str = "cpu",
        threads: int = 1,
        size: int = 1,
        timeout: float = 60.0,
        memory: float | None = None,
    ) -> "Opener":
        """Return what the component `use` gets as `context.workers`.

        Args:
            python: the interpreter of another environment; None is the host's.
            size: the most processes of one file.
            threads: math threads of each.
            timeout: seconds for one question.
            memory: GB that a call may add to what the process takes; None: no limit. UserError if there is no such
                interpreter.
        """
        if size < 1 or threads < 1:
            raise ValueError(f"{use}: size and threads of a worker are at least 1, not {size} and {threads}")
        if python is not None:
            python = str(expanded(python))
            if not Path(python).is_file():
                raise UserError(f"no interpreter {python!r}; name the bin/python of an environment")
        place = _ProcessPlacement(python=python, device=device, threads=threads, memory=memory)
        return Opener(use=use, place=place, size=size, timeout=timeout, workers=self)

    def warm(self) -> None:
        """Start the workers that were opened. Returns at once; the first question says what failed."""
        for shared in self._shared.values():
            shared.pool.warm()

    def close(self) -> None:
        """Kill every process; questions under way raise WorkerError. Closing again does nothing."""
        for shared in self._shared.values():
            shared.pool.close()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _share(
        self, use: str, place: "_ProcessPlacement", size: int, file: Path, settings: Mapping[str, Json]
    ) -> "_SharedPool":
        try:
            as_text = json.dumps(settings, sort_keys=True)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{use}: settings of a worker are JSON: {error}") from error
        key = (place, str(file.resolve()), as_text)
        if key not in self._shared:
            shared = self._shared[key] = _SharedPool(use, self._processes(use, place, file, settings))
            weakref.finalize(self, shared.pool.close)
        pool = self._shared[key].pool
        pool.size = max(pool.size, size)
        return self._shared[key]

    def _processes(self, use: str, place: "_ProcessPlacement", file: Path, settings: Mapping[str, Json]) -> ProcessPool:
        hello = {
            "file": str(file.resolve()),
            "settings": dict(settings),
            "context": {"seed": self._seed, "cache_dir": str(self._cache), "device": place.device},
        }
        start = partial(
            WorkerProcess,
            use,
            hello,
            python=place.python,
            threads=place.threads,
            start_limit=MODEL_START_LIMIT,
            memory=KEEP_FREED_MEMORY,
            growth_limit=place.memory,
        )
        return ProcessPool(use, 1, start, self._say)


@dataclass(frozen=True, kw_only=True)
class _ProcessPlacement:
    """The place where a process runs; two components that share a process agree on all of it."""

    python: str | None
    device: str
    threads: int
    memory: float | None


@dataclass(frozen=True, kw_only=True)
class Opener:
    """A component's `context.workers`, by which it opens worker files."""

    use: str
    place: _ProcessPlacement
    size: int
    timeout: float
    workers: Workers

    def open(self, file: Path | str, settings: Mapping[str, Json]) -> SharedWorker:
        """Return the worker of this file with these settings (JSON); it starts at its first question or at `warm`.

        The file is run by path, in an environment that may lack rewardlab, and imports none of it. It defines
        `build(settings: dict, context: dict)` with context {"seed", "cache_dir", "device"}, which returns an object
        with `answer(questions: list) -> list`, of the same length and order, all JSON.
        """
        shared = self.workers._share(self.use, self.place, self.size, Path(file), settings)
        return SharedWorker(shared, self.timeout)


@dataclass
class _QueuedQuestions:
    """Questions of one caller that wait for a call, and the future of their answers."""

    questions: list[Json]
    timeout: float
    future: "Future[list[Json]]" = field(default_factory=Future)


class _SharedPool:
    """A pool, and the questions that wait for it."""

    def __init__(self, use: str, pool: ProcessPool) -> None:
        self.pool = pool
        self._use = use
        self._lock = threading.Lock()
        self._waiting: deque[_QueuedQuestions] = deque()
        self._count = 0  # of the questions that wait
        self._pace: float | None = None  # seconds a question, in the last call

    def submit(self, questions: list[Json], timeout: float) -> "Future[list[Json]]":
        queued = _QueuedQuestions(questions, timeout)
        self.pool.refuse_if_over()
        with self._lock:
            self._waiting.append(queued)
            self._count += len(questions)
        self.pool.submit(self._serve)
        return queued.future

    def _serve(self, pool: ProcessPool) -> None:
        """Answer as many of the waiting questions as one call takes; an earlier call may have left none."""
        if batch := self._next_batch():
            self._answer(pool, batch)

    def _next_batch(self) -> list[_QueuedQuestions]:
        with self._lock:
            batch: list[_QueuedQuestions] = []
            taken, most = 0, self._most()
            while self._waiting and (not batch or taken + len(self._waiting[0].questions) <= most):
                queued = self._waiting.popleft()
                self._count -= len(queued.questions)
                if queued.future.set_running_or_notify_cancel():
                    batch.append(queued)
                    taken += len(queued.questions)
            return batch

    def _most(self) -> int:
        """Return the most questions of the next call: each process's equal share of those that wait, within bounds."""
        share = -(-self._count // self.pool.size)
        if self._pace is None or not self._waiting:
            return min(share, FIRST_QUESTIONS)
        in_time = SHARE_OF_LIMIT * SEVERAL * self._waiting[0].timeout / max(self._pace, 1e-9)
        return min(share, MAX_QUESTIONS, max(1, int(in_time)))

    def _answer(self, pool: ProcessPool, batch: list[_QueuedQuestions]) -> None:
        try:
            answers = iter(self._ask(pool, batch))
        except (PluginRaisedError, WorkerDiedError, WorkerMemoryError, WorkerTimeout) as error:
            if len(batch) > 1:  # one of them may have spoilt it for the others
                for queued in batch:
                    self._answer(pool, [queued])
            else:
                batch[0].future.set_exception(error)
        except BaseException as error:
            for queued in batch:
                queued.future.set_exception(error)
        else:
            for queued in batch:
                queued.future.set_result([next(answers) for _ in queued.questions])

    def _ask(self, pool: ProcessPool, batch: list[_QueuedQuestions]) -> list[Json]:
        questions = [question for queued in batch for question in queued.questions]
        timeout = max(queued.timeout for queued in batch)
        limit = timeout if len(questions) == 1 else SEVERAL * timeout
        try:
            request = message_line({"questions": questions, "limit": limit})
        except (TypeError, ValueError, RecursionError) as error:
            raise PluginRaisedError(f"{self._use}: a question to a worker is JSON: {error}") from error
        began = time.monotonic()
        answers: list[Json] = pool.ask(request, limit)["answers"]
        # at least half of the last pace: the answers of this call may all have been known already
        self._pace = max((time.monotonic() - began) / len(questions), (self._pace or 0.0) / 2)
        if len(answers) != len(questions):
            raise PluginRaisedError(
                f"{self._use}: the worker gave {len(answers)} answers to {len(questions)} questions"
            )
        first = questions[:1]
        pool.good = (lambda: message_line({"questions": first, "limit": timeout}), timeout)
        return answers
