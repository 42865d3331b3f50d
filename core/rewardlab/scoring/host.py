"""The host of groups whose members come one by one: they meet here, are scored once, and all who ask get the answer."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from rewardlab.errors import JobError
from rewardlab.scoring.pool import Pool, PooledGroup
from rewardlab.types import Completion

OnPartial = Literal["fail", "score"]
"""the fate of a group that lost members: it fails, or the others are scored as a group of their own size"""
OVERDUE = 5.0
"""seconds in which the scorer itself says that a group took too long, unless a reward blocks its thread"""
REMEMBERED = 1000
"""groups that are over, of which the answer is kept"""


class HostedGroup(Protocol):
    """The facts about a group that a host needs before its members come: a key of its own, and how many they are."""

    @property
    def key(self) -> str: ...

    @property
    def size(self) -> int: ...


PlaceT = TypeVar("PlaceT", bound=HostedGroup)
Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class MetGroup:
    """A group that is scored.

    members: the slots that it is a group of, in order, as on_partial says; sampled: how many completions came, with
    those that a group sampler wanted in addition.
    """

    pooled: PooledGroup
    members: tuple[int, ...]
    sampled: int


class MissingMembersError(JobError):
    """A group is not scored because members were lost or did not come in time; `missing` has their slots."""

    def __init__(self, text: str, missing: tuple[int, ...] = ()) -> None:  # () for pickle, which sets it afterwards
        super().__init__(text)
        self.missing = missing


class OtherMemberError(JobError):
    """A slot of a group has another completion already, or the group is being scored without it."""


class ScoringHost(Generic[PlaceT, Answer]):
    """The groups of one recipe's reward, on one event loop.

        host = ScoringHost(open_pool=lambda place, size: scorer.collect(samples[place.key], size), finish=write)
        host.put(place, 0, completion)
        answer = await host.group(place.key)

    Members are put in any order, from any number of callers, and as often as they like: the same text for the same
    slot counts once. Whoever asks for a group waits for the same answer, which is kept for a while.

    Args:
        open_pool: gives the pool of a place for so many completions.
        finish: is given a group once it is scored, and returns what those who ask for it get; it runs once, so it is
            where a ledger is written.
        deadline: seconds from a group's first member to its last (`completion_timeout`); None: any.
        on_partial: what becomes of a group that lost members.
        scoring: seconds that scoring a group may take once it is there, as its pool knows, too; a little later whatever
            blocks the thread on which all are scored is a JobError.
        kept: how many answers are kept; a group whose answer is forgotten is a new one.
    """

    def __init__(
        self,
        *,
        open_pool: Callable[[PlaceT, int], Pool],
        finish: Callable[[PlaceT, MetGroup], Awaitable[Answer]],
        deadline: float | None = None,
        on_partial: OnPartial = "fail",
        scoring: float | None = None,
        kept: int = REMEMBERED,
    ) -> None:
        self._open_pool, self._finish = open_pool, finish
        self._deadline, self._on_partial, self._max_kept = deadline, on_partial, kept
        self._scoring = None if scoring is None else scoring + OVERDUE
        self._meetings: dict[str, _Meeting[PlaceT]] = {}
        self._over: dict[str, asyncio.Future[Answer]] = {}
        self._done: OrderedDict[str, None] = OrderedDict()  # keys of those with an answer, the oldest answer first

    def __len__(self) -> int:
        """Return how many groups are under way."""
        return len(self._meetings)

    def lacks(self, key: str, count: int) -> bool:
        """Return whether fewer than `count` completions of a group that nobody has asked for are here."""
        meeting = self._meetings.get(key)
        return key not in self._over and (meeting is None or len(meeting.completions) < count)

    def put(self, place: PlaceT, slot: int, completion: Completion) -> None:
        """Add a member to its group and begin to score it; one that is there already changes nothing.

        Slots from `place.size` on are for what a group sampler wanted in addition. OtherMemberError if the slot has
        another text, or if the group is being scored without it.
        """
        meeting = self._meeting(place)
        if meeting is None:
            return
        known = meeting.completions.get(slot)
        if known is not None and known != completion:
            raise OtherMemberError(f"slot {slot} has another completion already; a new try is a new group")
        if known is None and meeting.members is not None and slot < place.size:
            raise OtherMemberError(f"completion {slot} came after the others had been scored")
        if known is None:
            meeting.add(slot, completion)

    def lost(self, place: PlaceT, slot: int, why: str = "") -> None:
        """Note that a member will not come, and why; one that is there already stays."""
        meeting = self._meeting(place)
        if meeting is not None and meeting.members is None and slot not in meeting.completions:
            meeting.lose(slot, why)

    def is_lost(self, key: str) -> bool:
        """Return whether all members of a group that is under way were lost."""
        meeting = self._meetings.get(key)
        return meeting is not None and meeting.is_lost

    async def more(self, key: str) -> int:
        """Return how many further completions the group sampler wants, once all members are here; 0 without one.

        JobError if the group is over, and MissingMembersError as `group`.
        """
        meeting = self._under_way(key)
        await self._meet(meeting)
        return await meeting.pool.more()

    async def group(self, key: str) -> Answer:
        """Return the answer of a group, once its members are here and it is finished.

        MissingMembersError if members are missing and `on_partial` says so, JobError for a group that is over without
        an answer, and what scoring it or `finish` raises.
        """
        answer = self._over.get(key)
        if answer is None:
            answer = self._over[key] = asyncio.ensure_future(self._answer(self._under_way(key)))
            answer.add_done_callback(lambda done: self._over_now(key, done))
        try:
            return await asyncio.shield(answer)  # who stops waiting does not take it from the others
        except asyncio.CancelledError:
            if answer.cancelled():
                raise _is_over(key) from None
            raise

    def drop(self, key: str) -> None:
        """Give a group up: what is under way of it is cancelled, and members that still come are not scored."""
        meeting = self._meetings.pop(key, None)
        if meeting is not None:
            meeting.pool.drop()
        answer = self._over.get(key)
        if answer is None:
            answer = self._over[key] = asyncio.get_running_loop().create_future()
            answer.add_done_callback(lambda done: self._over_now(key, done))
        answer.cancel()

    def forget(self, key: str) -> None:
        """Forget the answer of a group that is over: the same key is another group from now on."""
        if key not in self._meetings:
            self._over.pop(key, None)
            self._done.pop(key, None)

    def _meeting(self, place: PlaceT) -> "_Meeting[PlaceT] | None":
        """Return the meeting of a group, which begins with the first that is heard of it; None once it is over."""
        meeting = self._meetings.get(place.key)
        if meeting is None and place.key not in self._over:
            meeting = self._meetings[place.key] = _Meeting(place, self._open_pool(place, place.size))
        return meeting

    def _under_way(self, key: str) -> "_Meeting[PlaceT]":
        if (meeting := self._meetings.get(key)) is None:
            raise _is_over(key)
        return meeting

    async def _answer(self, meeting: "_Meeting[PlaceT]") -> Answer:
        try:
            members = await self._meet(meeting)
            sampled = len(meeting.completions)
            pooled = await self._in_time(meeting.pool.scored())
            return await self._finish(meeting.place, MetGroup(pooled=pooled, members=members, sampled=sampled))
        finally:
            if self._meetings.get(meeting.place.key) is meeting:
                del self._meetings[meeting.place.key]

    async def _in_time(self, scored: Awaitable[PooledGroup]) -> PooledGroup:
        try:
            async with asyncio.timeout(self._scoring) as limit:
                return await scored
        except TimeoutError:
            if not limit.expired():
                raise
            raise JobError(f"no scores within {self._scoring:g} s: a reward blocks its thread") from None

    async def _meet(self, meeting: "_Meeting[PlaceT]") -> tuple[int, ...]:
        """Return the slots that a group is of, once all are here or the others lost; MissingMembersError as `group`."""
        await meeting.wait(self._deadline)
        if meeting.members is not None:
            return meeting.members
        size = meeting.place.size
        members = tuple(slot for slot in range(size) if slot in meeting.completions)
        if len(members) < size:
            meeting.pool.drop()
            if self._on_partial == "fail" or not members:
                missing = tuple(slot for slot in range(size) if slot not in meeting.completions)
                raise MissingMembersError(self._why_missing(meeting, len(missing)), missing)
            meeting.pool = self._open_pool(meeting.place, len(members))
            for order, slot in enumerate(members):
                meeting.pool.put(order, meeting.completions[slot])
        meeting.close(members)
        return members

    def _why_missing(self, meeting: "_Meeting[PlaceT]", missing: int) -> str:
        within = "" if self._deadline is None else f", or not there after {self._deadline:g} s (completion_timeout)"
        last = f"; the last of them: {meeting.why}" if meeting.why else ""
        hint = "; `on_partial: score` scores the others" if missing < meeting.place.size else ""
        return f"{missing} of {meeting.place.size} completions were lost{within}{last}{hint}"

    def _over_now(self, key: str, answer: "asyncio.Future[Answer]") -> None:
        if not answer.cancelled():
            answer.exception()  # retrieved: all who waited for it may have gone
        if self._over.get(key) is answer:  # else it was forgotten meanwhile
            self._done[key] = None
        while len(self._done) > self._max_kept:
            del self._over[self._done.popitem(last=False)[0]]


@dataclass
class _Meeting(Generic[PlaceT]):
    """One group while its members come. why: the last of them was lost."""

    place: PlaceT
    pool: Pool
    why: str = ""
    completions: dict[int, Completion] = field(default_factory=dict)
    members: tuple[int, ...] | None = None
    """the slots that it is a group of; None while they come"""
    _here: int = 0
    _lost: set[int] = field(default_factory=set)
    _settled: asyncio.Event = field(default_factory=asyncio.Event)
    _began: float = field(default_factory=lambda: asyncio.get_running_loop().time())

    @property
    def is_lost(self) -> bool:
        return len(self._lost) == self.place.size

    def add(self, slot: int, completion: Completion) -> None:
        if slot < self.place.size:
            self.pool.put(slot, completion)
            self._here += 1
        elif self.members is not None:  # before it is closed the places of further ones in the pool are not known
            self._put_further(slot, completion)
        self.completions[slot] = completion
        self._lost.discard(slot)
        self._settle()

    def lose(self, slot: int, why: str) -> None:
        self.why = why or self.why
        self._lost.add(slot)
        self._settle()

    async def wait(self, deadline: float | None) -> None:
        """Return once each of the group's members is here or lost, or the deadline is over."""
        try:
            async with asyncio.timeout_at(None if deadline is None else self._began + deadline):
                await self._settled.wait()
        except TimeoutError:
            pass

    def close(self, members: tuple[int, ...]) -> None:
        """Make it a group of these slots, all of which are in the pool."""
        self.members = members
        for slot in sorted(slot for slot in self.completions if slot >= self.place.size):
            self._put_further(slot, self.completions[slot])

    def _put_further(self, slot: int, completion: Completion) -> None:
        assert self.members is not None
        self.pool.put(slot - self.place.size + len(self.members), completion)

    def _settle(self) -> None:
        if self._here + len(self._lost) >= self.place.size:
            self._settled.set()


def _is_over(key: str) -> JobError:
    return JobError(f"group {key!r} is over")
