"""The completions of one prompt, as a trainer hands them over one by one, and what its rewards say of the group.

Without a group sampler the rewards read the completions as they arrive. With one, each completion is scored by
itself when it arrives, and rewards of group scope wait until the sampler has chosen.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from rewardlab.composition import ScoredGroup
from rewardlab.group_sampler import Candidates, GroupSampler, PoolEntry
from rewardlab.grouping import GroupStream
from rewardlab.loops import LoopThread
from rewardlab.types import Completion, Group, Sample, Score

T = TypeVar("T")
Scores = Mapping[str, Sequence[Score]]
"""component name -> a score for each completion that was asked about"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PooledGroup:
    """The group to train on; `kept` (G,): the index under which each of its completions was put."""

    group: ScoredGroup
    kept: tuple[int, ...]


class Pool(Protocol):
    """The completions of one prompt, of which G = `size` are trained on."""

    def put(self, index: int, completion: Completion) -> None:
        """Completion `index` is there; once for each, from any thread. IndexError or ValueError where it cannot be."""

    async def more(self) -> int:
        """How many further completions are wanted, once the first G are there and all that were put are scored."""

    async def scored(self) -> PooledGroup:
        """The group, once it is scored. JobError where a reward, a judge or the group sampler ends the job."""

    def drop(self) -> None:
        """The group is not wanted any more: what is under way, and whoever waits for it, is cancelled.

        From any thread, idempotent; what is put afterwards is not scored.
        """


class StreamedPool:
    """A pool that is its group: rewards read completions as they arrive."""

    def __init__(self, sample: Sample, size: int, start: Callable[[GroupStream], "Future[ScoredGroup]"]):
        self._stream = GroupStream(sample, size)
        self._scoring = start(self._stream)

    def put(self, index: int, completion: Completion) -> None:
        """As Pool says; index < G."""
        self._stream.put(index, completion)

    async def more(self) -> int:
        """None."""
        return 0

    async def scored(self) -> PooledGroup:
        """As Pool says; `kept` is 0 to G - 1."""
        group = await asyncio.wrap_future(self._scoring)
        return PooledGroup(group=group, kept=tuple(range(self._stream.size)))

    def drop(self) -> None:
        """As Pool says."""
        self._scoring.cancel()


@dataclass(frozen=True, kw_only=True)
class PoolScoring:
    """What a recipe's rewards and total say of a pool.

    alone, in_group: the scores of the components of completion and batch scope, and of those of group scope.
    compose: (pool, kept, scores of the whole pool, scores of the kept) -> the group; see Composition.compose_kept.
    """

    home: LoopThread
    alone: Callable[[GroupStream], Coroutine[Any, Any, Scores]]
    in_group: Callable[[GroupStream], Coroutine[Any, Any, Scores]]
    compose: Callable[[Group, Sequence[int], Scores, Scores], ScoredGroup]


@dataclass(frozen=True, slots=True)
class _Put:
    """A completion and its scores, which are on their way."""

    index: int
    completion: Completion
    scores: "Future[Scores]"


class SampledPool:
    """A pool from which the recipe's group sampler chooses the group."""

    def __init__(self, sample: Sample, size: int, sampler: GroupSampler, scoring: PoolScoring):
        self._sample = sample
        self._size = size
        self._most = sampler.most(size)
        self._sampler = sampler
        self._scoring = scoring
        self._put: dict[int, _Put] = {}
        self._first = GroupStream(sample, size)  # the first G to arrive, whatever their indices
        self._asked: set[Future] = set()
        self._dropped = False
        self._lock = threading.Lock()

    def put(self, index: int, completion: Completion) -> None:
        """As Pool says; index < the most that the sampler may collect. Its scoring begins."""
        if not 0 <= index < self._most:
            raise IndexError(f"index {index} in a pool of at most {self._most}")
        with self._lock:
            if index in self._put:
                raise ValueError(f"completion {index} of sample {self._sample.id!r} arrived twice")
            if self._dropped:
                return
            single = GroupStream.of(Group(sample=self._sample, completions=(completion,)))
            scores = self._scoring.home.submit(self._scoring.alone(single))
            self._put[index] = _Put(index, completion, scores)
            arrived = len(self._put)
        if arrived <= self._size:
            self._first.put(arrived - 1, completion)

    async def more(self) -> int:
        """As Pool says; what the sampler asks for, up to what it may collect."""
        return await self._here(self._more())

    async def scored(self) -> PooledGroup:
        """As Pool says; `kept` are the sampler's choice, in its order."""
        return await self._here(self._scored())

    def drop(self) -> None:
        """As Pool says."""
        with self._lock:
            self._dropped = True
            under_way = [*self._asked, *(one.scores for one in self._put.values())]
        for future in under_way:
            future.cancel()

    async def _here(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`, which belongs to the scoring loop, from whatever loop is running."""
        with self._lock:
            if self._dropped:
                work.close()
                raise asyncio.CancelledError
            asked = self._scoring.home.submit(work)
            self._asked.add(asked)
        try:
            return await asyncio.wrap_future(asked)
        finally:
            self._asked.discard(asked)

    async def _more(self) -> int:
        put = await self._all_scored()
        return self._sampler.more(self._candidates(put))

    async def _scored(self) -> PooledGroup:
        put = await self._all_scored()
        places = self._sampler.select(self._candidates(put))
        pool = Group(sample=self._sample, completions=tuple(one.completion for one in put))
        chosen = Group(sample=self._sample, completions=tuple(put[place].completion for place in places))
        in_group = await self._scoring.in_group(GroupStream.of(chosen))
        names = put[0].scores.result()
        alone = {name: [score for one in put for score in one.scores.result()[name]] for name in names}
        group = self._scoring.compose(pool, places, alone, in_group)
        return PooledGroup(group=group, kept=tuple(put[place].index for place in places))

    async def _all_scored(self) -> list[_Put]:
        """All that were put by now, by index; with the first failure, the rest is cancelled."""
        await self._first.group()
        with self._lock:
            put = [self._put[index] for index in sorted(self._put)]
        try:
            await asyncio.gather(*(asyncio.wrap_future(one.scores) for one in put))
        except BaseException:
            for one in put:
                one.scores.cancel()
            raise
        return put

    def _candidates(self, put: Sequence[_Put]) -> Candidates:
        entries = []
        for one in put:
            scores = {name: score for name, (score,) in one.scores.result().items()}
            entries.append(PoolEntry(completion=one.completion, scores=scores))
        return Candidates(sample=self._sample, size=self._size, entries=tuple(entries))
