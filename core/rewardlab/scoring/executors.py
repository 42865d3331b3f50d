"""Executors: how a reward runs (inline, in a thread, in worker processes, as a coroutine) and what goes into one call.

Every executor gives one Score for each completion of a stream. Whatever a plugin does wrong (an exception, a list
of the wrong length, NaN, a value out of range) becomes a failed Score that says so. A call that fails as a whole is
made again item by item, so that one completion cannot fail its neighbours.
"""

import asyncio
import inspect
import json
import math
import reprlib
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from contextlib import closing as ended
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, Protocol

from rewardlab.concurrency.threads import CallThread, LoopThread, must_reraise, running_task
from rewardlab.errors import JobError, one_line, plugin_line
from rewardlab.group_stream import GroupStream
from rewardlab.specs import RewardSpec
from rewardlab.text.plural import counted
from rewardlab.types import Completion, Sample, Score
from rewardlab.workers.errors import PluginRaisedError, WorkerDiedError, WorkerMemoryError, WorkerTimeout
from rewardlab.workers.reward_pool import WorkerPool

Item = tuple[Sample, Completion]
Request = tuple[Sequence[Item], asyncio.Future[Any]]

MAX_ITEMS = {"completion": 256, "trajectory": 256, "batch": 4096}
COROUTINES = 256
"""Calls of one coroutine function at once: a group need not wait for the translations of another."""
ROUNDING = 1e-9  # a mean of values in [0, 1] may come out as 1.0000000000000002


class Executor(Protocol):
    """The source of one component's scores."""

    async def score(self, stream: GroupStream) -> list[Score]:
        """Return one Score a completion, in the group's order. Raises JobError, or the stream producer's error."""


class ItemExecutor:
    """The executor of completion and batch scope: complete groups, gathered into larger calls if it pays.

    slots: calls that run at once (0: no limit and no gathering). share: whether waiting items are divided over the
    free slots, as for processes; else all of them go into one call.
    """

    def __init__(
        self, spec: RewardSpec, call: Callable[[Sequence[Item]], Awaitable[Any]], slots: int, share: bool = True
    ) -> None:
        self._spec = spec
        self._call = call
        self._slots = slots
        self._share = share
        self._most = MAX_ITEMS[spec.scope]
        self._waiting: deque[Request] = deque()
        self._items_waiting = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._pumping = False

    async def score(self, stream: GroupStream) -> list[Score]:
        """Return one Score a completion, in the group's order, once the group is complete."""
        group = await stream.group()
        items = [(group.sample, completion) for completion in group.completions]
        if self._slots == 0:
            return await self._ask(items)
        loop = asyncio.get_running_loop()
        scored: asyncio.Future[list[Score]] = loop.create_future()
        self._waiting.append((items, scored))
        self._items_waiting += len(items)
        self._pump_soon(loop)
        return await scored

    def _pump_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._pumping:
            self._pumping = True
            # after every request of this turn of the loop, so that they go together
            loop.call_soon(self._pump)

    def _pump(self) -> None:
        self._pumping = False
        while self._waiting and len(self._tasks) < self._slots:
            if batch := self._next_batch(self._slots - len(self._tasks)):
                task = asyncio.create_task(self._run(batch))
                self._tasks.add(task)
                task.add_done_callback(self._done)

    def _next_batch(self, free: int) -> list[Request]:
        """Return the requests of one call: one of `free` equal shares of the waiting items, or all; none is divided."""
        share = min(self._most, math.ceil(self._items_waiting / (free if self._share else 1)))
        batch: list[Request] = []
        taken = 0
        while self._waiting and (not batch or taken + len(self._waiting[0][0]) <= share):
            items, scored = self._waiting.popleft()
            self._items_waiting -= len(items)
            if not scored.done():  # else its caller has given up
                batch.append((items, scored))
                taken += len(items)
        return batch

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._pump_soon(task.get_loop())

    async def _run(self, batch: Sequence[Request]) -> None:
        try:
            scores = iter(await self._ask([item for items, _ in batch for item in items]))
        except BaseException as error:
            for _, scored in batch:
                if not scored.done():
                    scored.set_exception(error) if isinstance(error, Exception) else scored.cancel()
            if not isinstance(error, Exception):
                raise
            return
        for items, scored in batch:
            own = [next(scores) for _ in items]
            if not scored.done():
                scored.set_result(own)

    async def _ask(self, items: Sequence[Item]) -> list[Score]:
        task = running_task()
        try:
            return checked_scores(await self._call(items), len(items), self._spec)
        except BaseException as error:  # the one place where a reward's exception becomes a failed score
            if not _is_plugin_failure(error, task):
                raise
            if len(items) == 1:
                return [self._failed(error)]
        # no item is asked for more than twice, however many fail
        if self._spec.runs == "async":
            return [scores[0] for scores in await asyncio.gather(*(self._ask([item]) for item in items))]
        return [(await self._ask([item]))[0] for item in items]

    def _failed(self, error: BaseException) -> Score:
        on_timeout = self._spec.on_timeout
        if isinstance(error, WorkerTimeout) and error.cpu_bound and on_timeout != "fail":
            return Score(value=float(on_timeout), info={"timed_out": True})
        return Score(error=describe_failure(error))


class StreamExecutor:
    """The executor of group scope: the reward reads the stream, on its own loop `home` if it runs in a thread."""

    def __init__(
        self, spec: RewardSpec, call: Callable[[GroupStream], Awaitable[Any]], home: LoopThread | None
    ) -> None:
        self._spec = spec
        self._call = call
        self._home = home

    async def score(self, stream: GroupStream) -> list[Score]:
        """Return one Score a completion, in the group's order."""
        work = self._ask(stream)
        return await (self._home.here(work) if self._home else work)

    async def _ask(self, stream: GroupStream) -> list[Score]:
        task = running_task()
        try:
            return checked_scores(await self._call(stream), stream.size, self._spec)
        except BaseException as error:  # the one place where a reward's exception becomes failed scores
            if not _is_plugin_failure(error, task):
                raise
            return [Score(error=describe_failure(error))] * stream.size


def open_executor(spec: RewardSpec, score: Callable[[Any], Any], name: str, closing: ExitStack) -> Executor:
    """Return the executor of a built reward's `score`; `closing` ends the thread that it may have."""
    if spec.scope == "group":
        home = closing.enter_context(ended(LoopThread(name))) if spec.runs == "thread" else None
        return StreamExecutor(spec, awaiting(score), home)
    if spec.runs == "thread":
        return ItemExecutor(spec, partial(closing.enter_context(ended(CallThread(name))).call, score), 1)
    if spec.runs == "async" and spec.scope == "batch":
        return ItemExecutor(spec, awaiting(score), COROUTINES, share=False)
    call = awaiting(score) if spec.runs == "async" else _as_coroutine(score)
    return ItemExecutor(spec, call, 1 if spec.scope == "batch" else 0)


def pool_executor(spec: RewardSpec, pool: WorkerPool) -> Executor:
    """Return the executor of a reward that runs in workers."""

    async def whole_group(stream: GroupStream) -> Any:
        return await pool.score_group(await stream.group())

    return (
        StreamExecutor(spec, whole_group, None) if spec.scope == "group" else ItemExecutor(spec, pool.score, pool.size)
    )


def _as_coroutine(score: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
    async def call(items: Any) -> Any:
        return score(items)

    return call


def awaiting(score: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
    """Return a coroutine function that awaits `score`, which should be one; TypeError at the call if it is none."""

    async def call(items: Any) -> Any:
        scores = score(items)
        if not inspect.isawaitable(scores):
            raise TypeError("score is not a coroutine function; write `async def score`")
        return await scores

    return call


def _is_plugin_failure(error: BaseException, task: asyncio.Task[Any] | None) -> bool:
    if isinstance(error, JobError):
        return isinstance(error, PluginRaisedError | WorkerTimeout | WorkerMemoryError | WorkerDiedError)
    return not must_reraise(error, task)


def describe_failure(error: BaseException) -> str:
    """Return an exception as the error of a Score, with the line that raised it if the plugin did."""
    if isinstance(error, JobError):
        return str(error)
    return one_line(error) + describe_place(error)


def describe_place(error: BaseException) -> str:
    """Return the plugin's line that an exception came from as " (at file.py:12)"; "" if no plugin's did."""
    place = plugin_line(error)
    return "" if place is None else f" (at {Path(place).name})"


def checked_scores(scores: Any, count: int, spec: RewardSpec) -> list[Score]:
    """Return what a reward gave, with every score that breaks the contract turned into a failed one.

    TypeError or ValueError if it gave no list of `count` scores.
    """
    if inspect.isawaitable(scores):
        scores.close() if inspect.iscoroutine(scores) else None
        raise TypeError("score is a coroutine function; declare runs='async' or scope='group'")
    if not isinstance(scores, list | tuple):
        raise TypeError(f"score returned {type(scores).__name__}, not a list of Score")
    if len(scores) != count:
        raise ValueError(f"score returned {counted(len(scores), 'score')} for {counted(count, 'completion')}")
    return [_checked_score(score, spec) for score in scores]


def _checked_score(score: Any, spec: RewardSpec) -> Score:
    if not isinstance(score, Score):
        return Score(error=f"returned {type(score).__name__}, not a Score")
    value, info, error = score.value, score.info, score.error
    if (type(info) is not dict or info) and (unwritable := _describe_unwritable(info)):
        return Score(error=unwritable if error is None else f"{error}; {unwritable}")
    if error is not None:
        return Score(info=info, error=str(error))
    if value is None:
        return score
    if type(value) is not float and (isinstance(value, bool) or not isinstance(value, Real)):
        hint = f"; write {float(value)}" if isinstance(value, bool) else ""
        return Score(info=info, error=f"value {reprlib.repr(value)} is not a number{hint}")
    number, (low, high) = float(value), spec.range
    if low <= number <= high:
        return score if type(value) is float else Score(value=number, info=info)
    if not math.isfinite(number):
        return Score(info=info, error=f"value {number} is not finite")
    if low - ROUNDING <= number <= high + ROUNDING:
        return Score(value=min(max(number, low), high), info=info)
    return Score(info=info, error=f"value {number} is outside the declared range [{low:g}, {high:g}]")


def _describe_unwritable(info: Any) -> str | None:
    """Return why `info` cannot be written as JSON; None if it can."""
    if not isinstance(info, Mapping):
        return f"info is {type(info).__name__}, not a mapping"
    for key, value in info.items():
        try:
            json.dumps({key: value}, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            return f"info[{key!r}] is not a JSON value: {error}"
    return None
