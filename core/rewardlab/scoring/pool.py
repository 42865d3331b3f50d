"""Pools: the completions of one prompt, handed over one by one by a trainer, and the scores of their group.

Without a group sampler the rewards read the completions as they arrive. With one, each completion is scored by
itself when it arrives, and rewards of group scope wait until the sampler has chosen.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from rewardlab.concurrency.threads import LoopThread
from rewardlab.group_stream import GroupStream
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.group_sampler import CheckedGroupSampler
from rewardlab.types import Candidates, Completion, Group, PoolEntry, Sample, Score

T = TypeVar("T")
Scores = Mapping[str, Sequence[Score]]
"""Component name -> a score for each completion that was asked about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PooledGroup:
    """The group to train on. kept: G indices, under which its completions were put.

    discarded: the pool's other completions, with the scores that each of them got by itself and no totals; None if
    there are no others.
    """

    group: ScoredGroup
    kept: tuple[int, ...]
    discarded: ScoredGroup | None = None


class Pool(Protocol):
    """The completions of one prompt, of which G = `size` are trained on."""

    def put(self, index: int, completion: Completion) -> None:
        """Add completion `index`, from any thread.

        IndexError if the pool has no such index, ValueError if it has that completion already.
        """

    async def more(self) -> int:
        """Return how many further completions are wanted, once the first G and all others so far are scored."""

    async def scored(self) -> PooledGroup:
        """Return the group, once it is scored. JobError if a reward, a judge or the group sampler ends the job."""

    def drop(self) -> None:
        """Give the group up, from any thread: cancel its scoring and everything that waits for it.

        Dropping again does nothing, and completions that are put later are not scored.
        """


class StreamedPool:
    """A pool of exactly one group, whose rewards read completions as they arrive."""

    def __init__(self, stream: GroupStream, scoring: "Future[ScoredGroup]") -> None:
        self._stream, self._scoring = stream, scoring

    def put(self, index: int, completion: Completion) -> None:
        """Add completion `index`, below G; see Pool."""
        self._stream.put(index, completion)

    async def more(self) -> int:
        """Return 0: the pool is its group."""
        return 0

    async def scored(self) -> PooledGroup:
        """Return the group, once it is scored; `kept` is 0 to G - 1. See Pool."""
        group = await asyncio.wrap_future(self._scoring)
        return PooledGroup(group=group, kept=tuple(range(self._stream.size)))

    def drop(self) -> None:
        """Give the group up; see Pool."""
        self._scoring.cancel()


@dataclass(frozen=True, kw_only=True)
class PoolScoring:
    """The functions by which a scorer scores a pool.

    alone: gives the scores of the components of completion and batch scope; in_group: of those of group scope.
    compose: (pool, kept, scores of the whole pool, scores of the kept) -> the group; see Composition.compose_kept.
    """

    home: LoopThread
    alone: Callable[[GroupStream], Coroutine[Any, Any, Scores]]
    in_group: Callable[[GroupStream], Coroutine[Any, Any, Scores]]
    compose: Callable[[Group, Sequence[int], Scores, Scores], ScoredGroup]


@dataclass(frozen=True, slots=True)
class _PooledCompletion:
    """A completion, and its scores to come."""

    index: int
    completion: Completion
    scores: "Future[Scores]"


class SampledPool:
    """A pool from which the recipe's group sampler chooses the group."""

    def __init__(self, sample: Sample, size: int, sampler: CheckedGroupSampler, scoring: PoolScoring) -> None:
        self._sample = sample
        self._size = size
        self._most = sampler.most(size)
        self._sampler = sampler
        self._scoring = scoring
        self._put: dict[int, _PooledCompletion] = {}
        self._first = GroupStream(sample, size)  # the first G to arrive, whatever their indices
        self._pending: set[Future[Any]] = set()
        self._dropped = False
        self._lock = threading.Lock()

    def put(self, index: int, completion: Completion) -> None:
        """Add completion `index`, below the most that the sampler may collect, and begin to score it; see Pool."""
        if not 0 <= index < self._most:
            raise IndexError(f"index {index} in a pool of at most {self._most}")
        with self._lock:
            if index in self._put:
                raise ValueError(f"completion {index} of sample {self._sample.id!r} arrived twice")
            if self._dropped:
                return
            single = GroupStream.of(Group(sample=self._sample, completions=(completion,)))
            scores = self._scoring.home.submit(self._scoring.alone(single))
            self._put[index] = _PooledCompletion(index, completion, scores)
            arrived = len(self._put)
        if arrived <= self._size:
            self._first.put(arrived - 1, completion)

    async def more(self) -> int:
        """Return how many more the sampler asks for, up to what it may collect; see Pool."""
        return await self._here(self._more())

    async def scored(self) -> PooledGroup:
        """Return the group, once it is scored; `kept` is the sampler's choice, in its order. See Pool."""
        return await self._here(self._scored())

    def drop(self) -> None:
        """Give the group up; see Pool."""
        with self._lock:
            self._dropped = True
            under_way = [*self._pending, *(member.scores for member in self._put.values())]
        for future in under_way:
            future.cancel()

    async def _here(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`, which belongs to the scoring loop, from whatever loop is running."""
        with self._lock:
            if self._dropped:
                work.close()
                raise asyncio.CancelledError
            pending = self._scoring.home.submit(work)
            self._pending.add(pending)
        try:
            return await asyncio.wrap_future(pending)
        finally:
            self._pending.discard(pending)

    async def _more(self) -> int:
        put = await self._all_scored()
        return self._sampler.more(self._candidates(put))

    async def _scored(self) -> PooledGroup:
        put = await self._all_scored()
        places = self._sampler.select(self._candidates(put))
        pool = Group(sample=self._sample, completions=tuple(member.completion for member in put))
        chosen = Group(sample=self._sample, completions=tuple(put[place].completion for place in places))
        in_group = await self._scoring.in_group(GroupStream.of(chosen))
        names = put[0].scores.result()
        alone = {name: [score for member in put for score in member.scores.result()[name]] for name in names}
        group = self._scoring.compose(pool, places, alone, in_group)
        kept = tuple(put[place].index for place in places)
        return PooledGroup(group=group, kept=kept, discarded=_discarded(pool, places, alone))

    async def _all_scored(self) -> list[_PooledCompletion]:
        """Return all completions that were put by now, by index, once scored; a failure cancels the others."""
        await self._first.group()
        with self._lock:
            put = [self._put[index] for index in sorted(self._put)]
        try:
            await asyncio.gather(*(asyncio.wrap_future(member.scores) for member in put))
        except BaseException:
            for member in put:
                member.scores.cancel()
            raise
        return put

    def _candidates(self, put: Sequence[_PooledCompletion]) -> Candidates:
        entries = []
        for member in put:
            scores = {name: score for name, (score,) in member.scores.result().items()}
            entries.append(PoolEntry(completion=member.completion, scores=scores))
        return Candidates(sample=self._sample, size=self._size, entries=tuple(entries))


def _discarded(pool: Group, kept: Sequence[int], alone: Scores) -> ScoredGroup | None:
    """Return the completions of a pool that nobody kept, as a group without totals and shaped rewards."""
    places = sorted({*range(len(pool.completions))} - {*kept})
    if not places:
        return None
    return ScoredGroup(
        sample=pool.sample,
        completions=tuple(pool.completions[place] for place in places),
        components={name: [scores[place] for place in places] for name, scores in alone.items()},
        totals=[None] * len(places),
        shaped=(),
    )
