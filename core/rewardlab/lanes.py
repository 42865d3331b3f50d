"""How a reward runs: inline, in a thread, in worker processes, or as a coroutine; and what is asked of it at once.

Every lane gives one Score for each completion it was asked about. Whatever a plugin does wrong (an exception, a
list of the wrong length, NaN, a value out of range) becomes a failed Score that says so; a batch that fails is
asked again item by item, so that one completion cannot fail its neighbours.
"""

import asyncio
import inspect
import math
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

from rewardlab.call_thread import CallThread
from rewardlab.errors import JobError, one_line
from rewardlab.grouping import GroupStream
from rewardlab.loops import LoopThread
from rewardlab.specs import RewardSpec
from rewardlab.types import Completion, Sample, Score
from rewardlab.worker import PluginRaised, WorkerPool, WorkerTimeout

Item = tuple[Sample, Completion]
Call = Callable[[Sequence[Item]], Awaitable[Any]]

MOST_ITEMS = {"completion": 256, "batch": 4096}
ROUNDING = 1e-9  # a mean of values in [0, 1] may come out as 1.0000000000000002


class ItemLane:
    """Completion and batch scope: scores of (sample, completion) items, gathered across groups where it pays.

    `slots` calls run at once (None: no limit and no gathering).
    """

    def __init__(self, spec: RewardSpec, call: Call, slots: int | None):
        self._spec = spec
        self._call = call
        self._slots = slots
        self._most = MOST_ITEMS[spec.scope]
        self._waiting: deque[tuple[Sequence[Item], asyncio.Future]] = deque()
        self._tasks: set[asyncio.Task] = set()
        self._pumping = False

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """One Score an item, in order."""
        if self._slots is None:
            return await self._ask(items)
        loop = asyncio.get_running_loop()
        scored = loop.create_future()
        self._waiting.append((items, scored))
        self._pump_soon(loop)
        return await scored

    def _pump_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._pumping:
            self._pumping = True
            loop.call_soon(self._pump)  # after all that asks in this turn of the loop, so that it goes together

    def _pump(self) -> None:
        self._pumping = False
        while self._waiting and len(self._tasks) < self._slots:
            free = self._slots - len(self._tasks)
            share = min(self._most, math.ceil(sum(len(items) for items, _ in self._waiting) / free))
            batch, taken = [], 0
            while self._waiting and (not batch or taken + len(self._waiting[0][0]) <= share):
                batch.append(self._waiting.popleft())
                taken += len(batch[-1][0])
            task = asyncio.create_task(self._run(batch))
            self._tasks.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task) -> None:
        self._tasks.discard(task)
        self._pump_soon(task.get_loop())

    async def _run(self, batch: Sequence[tuple[Sequence[Item], asyncio.Future]]) -> None:
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
            mine = [next(scores) for _ in items]
            if not scored.done():
                scored.set_result(mine)

    async def _ask(self, items: Sequence[Item]) -> list[Score]:
        try:
            return _accept(await self._call(items), len(items), self._spec)
        except WorkerTimeout as error:
            if len(items) == 1:
                return [self._timed_out(error)]
        except PluginRaised as error:
            if len(items) == 1:
                return [Score(error=str(error))]
        except JobError:
            raise
        except Exception as error:  # the one place where a reward's exception becomes a failed score
            if len(items) == 1:
                return [Score(error=_raised(error))]
        return [(await self._ask([item]))[0] for item in items]

    def _timed_out(self, error: WorkerTimeout) -> Score:
        if error.cpu_bound and self._spec.on_timeout != "fail":
            return Score(value=float(self._spec.on_timeout), info={"timed_out": True})
        return Score(error=str(error))


class GroupLane:
    """Group scope: G scores of a stream. `home` is the loop on which a reward that runs in a thread lives."""

    def __init__(self, spec: RewardSpec, call: Callable[[GroupStream], Awaitable[Any]], home: LoopThread | None = None):
        self._spec = spec
        self._call = call
        self._home = home

    async def score(self, stream: GroupStream) -> list[Score]:
        """One Score a completion, in the group's order."""
        work = self._ask(stream)
        return await (self._home.here(work) if self._home else work)

    async def _ask(self, stream: GroupStream) -> list[Score]:
        try:
            return _accept(await self._call(stream), stream.size, self._spec)
        except (PluginRaised, WorkerTimeout) as error:
            return [Score(error=str(error))] * stream.size
        except JobError:
            raise
        except Exception as error:  # the one place where a reward's exception becomes failed scores
            return [Score(error=_raised(error))] * stream.size


def open_lane(
    spec: RewardSpec, reward: Any, pool: WorkerPool | None, thread: CallThread | None, home: LoopThread | None
) -> ItemLane | GroupLane:
    """The lane of a built reward (or of a pool, for one that runs in workers)."""
    if spec.scope == "group":
        if pool is not None:

            async def score_in_worker(stream: GroupStream) -> Any:
                return await pool.score_group(await stream.group())

            return GroupLane(spec, score_in_worker)
        return GroupLane(spec, reward.score, home)
    if pool is not None:
        return ItemLane(spec, pool.score, pool.size)
    if spec.runs == "async":
        return ItemLane(spec, reward.score, 1 if spec.scope == "batch" else None)
    if spec.runs == "inline":

        async def score_inline(items: Sequence[Item]) -> Any:
            return reward.score(items)

        return ItemLane(spec, score_inline, 1 if spec.scope == "batch" else None)

    async def score_in_thread(items: Sequence[Item]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(thread, reward.score, items)

    return ItemLane(spec, score_in_thread, 1)


def _accept(scores: Any, count: int, spec: RewardSpec) -> list[Score]:
    """The scores with whatever breaks the contract turned into failures."""
    if inspect.isawaitable(scores):
        scores.close() if inspect.iscoroutine(scores) else None
        raise TypeError("score is a coroutine function; declare runs='async' or scope='group'")
    if not isinstance(scores, list | tuple):
        raise TypeError(f"score returned {type(scores).__name__}, not a list of Score")
    if len(scores) != count:
        raise ValueError(f"score returned {len(scores)} scores for {count} completions")
    return [_accepted(score, spec) for score in scores]


def _accepted(score: Any, spec: RewardSpec) -> Score:
    if type(score) is not Score:
        return Score(error=f"returned {type(score).__name__}, not a Score")
    value = score.value
    if value is None:
        return score
    if isinstance(value, bool) or not isinstance(value, Real):
        return Score(info=score.info, error=f"value {value!r} is no number")
    if score.error is not None:
        return Score(info=score.info, error=score.error)
    low, high = spec.range
    if low <= value <= high:
        return score if type(value) is float else Score(value=float(value), info=score.info)
    if not math.isfinite(value):
        return Score(info=score.info, error=f"value {value!r} is not finite")
    if low - ROUNDING <= value <= high + ROUNDING:
        return Score(value=min(max(float(value), low), high), info=score.info)
    return Score(info=score.info, error=f"value {value!r} is outside the declared range [{low:g}, {high:g}]")


def _raised(error: Exception) -> str:
    where = ""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is not None and frame.tb_frame.f_code.co_filename != __file__:
        where = f" (at {Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno})"
    return one_line(error) + where


