"""Workers that components share: a Python file in a process of its own, which answers questions in JSON.

This is how a reward or a data step uses a model, in the host's environment or in one of its own: COMET's
requirements, say, collide with everybody's. Components that open the same file with the same settings get the same
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
from pathlib import Path
from typing import Any

from rewardlab.cache import cache_dir
from rewardlab.errors import UserError
from rewardlab.worker import as_line, command_of, path_of
from rewardlab.worker_child import KEEPS, Child, PluginRaised, WorkerDied, WorkerTimeout
from rewardlab.worker_crew import Call, Crew

MOST_QUESTIONS = 1024
"""of one call: enough to sort by length, few enough that little is lost with a process that dies"""
FIRST_QUESTIONS = 64
"""of the first call, when nobody knows how long a question takes"""
PART = 16
"""questions of one asker that stay together; more of them are joined, with those of others, call by call"""
SEVERAL = 2.0
"""times `timeout`: what a call of several questions may take, so that one that hangs does not hold the others long"""
SHARE_OF_LIMIT = 0.125
"""A call is given what at the pace of the last ones takes this share of its limit: there is room for longer texts."""
START_LIMIT = 4 * 3600.0
"""seconds for a process to load its model, which may have to be downloaded"""

Json = Any


class Worker:
    """One component's way to a process that others may share."""

    def __init__(self, shared: "_Shared", timeout: float):
        self._shared, self._timeout = shared, timeout

    async def ask(self, questions: Sequence[Json]) -> list[Json]:
        """An answer to each, in order; from any event loop.

        Raises PluginRaised where `answer` raised or gave another number of answers, WorkerTimeout (`timeout` seconds
        for one question, twice that for a call of several), WorkerDied after two deaths of these questions,
        WorkerStartError where the worker cannot be built. Of a call that fails each part is asked again by itself.
        """
        parts = [list(questions[k : k + PART]) for k in range(0, len(questions), PART)]
        asked = [asyncio.wrap_future(self._shared.submit(part, self._timeout)) for part in parts]
        return [answer for answers in await asyncio.gather(*asked) for answer in answers]

    @property
    def restarts(self) -> int:
        """Processes started in place of one that died or was killed at a deadline."""
        return self._shared.crew.restarts


class Workers:
    """The shared processes of one job; ended by `close`, the collector or at exit. A context manager.

    say: is told of processes that died and are started again; absent: a line on stderr.
    """

    def __init__(self, *, cache: Path | None = None, seed: int = 0, say: Callable[[str], None] | None = None):
        self._cache, self._seed, self._say = cache or cache_dir(), seed, say
        self._shared: dict[tuple, _Shared] = {}

    def of(
        self,
        *,
        use: str,
        python: str | None = None,
        device: str = "cpu",
        threads: int = 1,
        size: int = 1,
        timeout: float = 60.0,
    ) -> "Opener":
        """What the component `use` gets as `context.workers`.

        python: the interpreter of another environment; None is the host's. size: most processes of one file.
        timeout: seconds for one question. A UserError where there is no such interpreter.
        """
        if size < 1 or threads < 1:
            raise ValueError(f"{use}: size and threads of a worker are at least 1, not {size} and {threads}")
        if python is not None:
            python = str(Path(python).expanduser())
            if not Path(python).is_file():
                raise UserError(f"no interpreter {python!r}; name the bin/python of an environment")
        place = _Place(python=python, device=device, threads=threads)
        return Opener(use=use, place=place, size=size, timeout=timeout, workers=self)

    def warm(self) -> None:
        """Start what was opened; returns at once, and the first question says what failed."""
        for shared in self._shared.values():
            shared.crew.submit(Call(None, 0.0, lambda _: None).run)

    def close(self) -> None:
        """Kill every process; questions under way raise WorkerError. Idempotent."""
        for shared in self._shared.values():
            shared.crew.close()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _share(self, use: str, place: "_Place", size: int, file: Path, settings: Mapping[str, Json]) -> "_Shared":
        try:
            told = json.dumps(settings, sort_keys=True)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{use}: settings of a worker are JSON: {error}") from error
        key = (place, str(file.resolve()), told)
        if key not in self._shared:
            shared = self._shared[key] = _Shared(use, self._crew(use, place, file, settings))
            weakref.finalize(self, shared.crew.close)
        crew = self._shared[key].crew
        crew.size = max(crew.size, size)
        return self._shared[key]

    def _crew(self, use: str, place: "_Place", file: Path, settings: Mapping[str, Json]) -> Crew:
        hello = {
            "path": path_of(place.python),
            "file": str(file.resolve()),
            "settings": dict(settings),
            "context": {"seed": self._seed, "cache_dir": str(self._cache), "device": place.device},
            "limit": START_LIMIT,
        }
        greeting, command, threads = as_line(hello), command_of(place.python), place.threads
        start = lambda: Child(use, command, threads, greeting, START_LIMIT, KEEPS)  # noqa: E731
        return Crew(use, 1, start, self._say)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a process runs; part of what two components must agree on to share it."""

    python: str | None
    device: str
    threads: int


@dataclass(frozen=True, kw_only=True)
class Opener:
    """A component's `context.workers`."""

    use: str
    place: _Place
    size: int
    timeout: float
    workers: Workers

    def open(self, file: Path | str, settings: Mapping[str, Json]) -> Worker:
        """The worker of this file with these settings (JSON); starts at its first question, or when the host warms up.

        The file is run by path, in an environment that may lack rewardlab, and imports none of it. It defines
        `build(settings: dict, context: dict)` with context {"seed", "cache_dir", "device"}, which returns an object
        with `answer(questions: list) -> list`, of the same length and order, all JSON.
        """
        shared = self.workers._share(self.use, self.place, self.size, Path(file), settings)
        return Worker(shared, self.timeout)


@dataclass
class _Asked:
    questions: list[Json]
    timeout: float
    future: "Future[list[Json]]" = field(default_factory=Future)


class _Shared:
    """A crew, and the questions that wait for it."""

    def __init__(self, use: str, crew: Crew):
        self.crew = crew
        self._use = use
        self._lock = threading.Lock()
        self._waiting: deque[_Asked] = deque()
        self._count = 0  # of the questions that wait
        self._pace: float | None = None  # seconds a question, in the last call

    def submit(self, questions: list[Json], timeout: float) -> "Future[list[Json]]":
        asked = _Asked(questions, timeout)
        self.crew.refuse_if_over()
        with self._lock:
            self._waiting.append(asked)
            self._count += len(questions)
        self.crew.submit(self._serve)
        return asked.future

    def _serve(self, crew: Crew) -> None:
        """Answers what waits, as much of it as one call takes; a turn that finds nothing left has nothing to do."""
        if batch := self._next_batch():
            self._answer(crew, batch)

    def _next_batch(self) -> list[_Asked]:
        with self._lock:
            batch: list[_Asked] = []
            taken, most = 0, self._most()
            while self._waiting and (not batch or taken + len(self._waiting[0].questions) <= most):
                asked = self._waiting.popleft()
                self._count -= len(asked.questions)
                if asked.future.set_running_or_notify_cancel():
                    batch.append(asked)
                    taken += len(asked.questions)
            return batch

    def _most(self) -> int:
        """Questions of the next call: an equal share of what waits for each process, within its bounds."""
        share = -(-self._count // self.crew.size)
        if self._pace is None or not self._waiting:
            return min(share, FIRST_QUESTIONS)
        in_time = SHARE_OF_LIMIT * SEVERAL * self._waiting[0].timeout / max(self._pace, 1e-9)
        return min(share, MOST_QUESTIONS, max(1, int(in_time)))

    def _answer(self, crew: Crew, batch: list[_Asked]) -> None:
        try:
            answers = iter(self._ask(crew, batch))
        except (PluginRaised, WorkerDied, WorkerTimeout) as error:
            if len(batch) > 1:  # one of them may have spoilt it for the others
                for asked in batch:
                    self._answer(crew, [asked])
            else:
                batch[0].future.set_exception(error)
        except BaseException as error:
            for asked in batch:
                asked.future.set_exception(error)
        else:
            for asked in batch:
                asked.future.set_result([next(answers) for _ in asked.questions])

    def _ask(self, crew: Crew, batch: list[_Asked]) -> list[Json]:
        questions = [question for asked in batch for question in asked.questions]
        timeout = max(asked.timeout for asked in batch)
        limit = timeout if len(questions) == 1 else SEVERAL * timeout
        try:
            request = as_line({"questions": questions, "limit": limit})
        except (TypeError, ValueError, RecursionError) as error:
            raise PluginRaised(f"{self._use}: a question to a worker is JSON: {error}") from error
        began = time.monotonic()
        answers = crew.ask(request, limit)["answers"]
        # not at once the pace of a call whose answers were all known
        self._pace = max((time.monotonic() - began) / len(questions), (self._pace or 0.0) / 2)
        if len(answers) != len(questions):
            raise PluginRaised(f"{self._use}: the worker gave {len(answers)} answers to {len(questions)} questions")
        first = questions[:1]
        crew.good = (lambda: as_line({"questions": first, "limit": timeout}), timeout)
        return answers
