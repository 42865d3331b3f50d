"""The hosts of a job on Ray, and the items that they are given: any host takes what waits, and a dead one's."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rewardlab.errors import BudgetUsedUpError, JobError, RewardlabError, one_line
from rewardlab.judging import Usage

from rewardlab_shards.host_actor import PartResults

Item = TypeVar("Item")
Result = TypeVar("Result")
MAX_LOSSES = 2
"""hosts that may die with an item in a part; then it is tried alone"""
MAX_DEATHS = 3
"""hosts that may die with an item that is tried alone; then the job takes it for the cause"""
MAX_OPENINGS = 5
"""attempts of a host that was started again to open its work; then the job ends"""
PAUSE_S = 1.0
CLOSE_S = 10.0


@dataclass(eq=False)
class _Waiting:
    """An item that somebody waits for. losses: hosts that died with it."""

    item: Any
    result: "asyncio.Future[Any]"
    losses: int = 0

    @property
    def suspect(self) -> bool:
        """Whether it may be the cause, so that it is tried alone."""
        return self.losses >= MAX_LOSSES


class ActorPool(Generic[Item, Result]):
    """Hosts that work on items.

    Each item goes to the host that is free first. What a host had when its process or node died goes to another one,
    and Ray starts the host again; so an item may be worked on twice, and has one result. A host whose part of a judge's
    budget is used up gets no more, and the others go on with theirs.

    Args:
        start: starts a host by its number.
        actors: those that were started.
        name: names an item in messages.
        part: the most items of one call.
        calls: the most calls that a host has at the same time.
        end: called once they are closed.
        head_lost: returns what ends the job once Ray's head is lost; None for a client, to which Ray says so itself.
    """

    def __init__(
        self,
        start: Callable[[int], Any],
        actors: Sequence[Any],
        say: Callable[[str], None],
        *,
        name: Callable[[Item], str] = str,
        part: int = 1,
        calls: int = 1,
        end: Callable[[], None] = lambda: None,
        head_lost: Callable[[], Awaitable[JobError]] | None = None,
    ) -> None:
        self._start, self._actors, self._say, self._end = start, list(actors), say, end
        self._name, self._most, self._calls, self._head_lost = name, part, calls, head_lost
        self._waiting: deque[_Waiting] = deque()
        self._suspects: deque[_Waiting] = deque()
        self._unanswered: set[_Waiting] = set()
        self._trying = False
        self._news: asyncio.Event | None = None
        self._up: list[asyncio.Event] = []
        self._spent: set[int] = set()
        self._serving: list[asyncio.Task[None]] = []
        self._closed = False
        self._failed: JobError | None = None
        self._usage: dict[str, Mapping[str, Usage]] = {}
        self._said: set[str] = set()

    @property
    def hosts(self) -> int:
        """How many hosts there are."""
        return len(self._actors)

    async def result(self, item: Item) -> Result:
        """Return the result of an item; always from the same event loop."""
        if self._failed is not None:
            raise self._failed
        if self._news is None:
            self._news = asyncio.Event()
            self._up = [asyncio.Event() for _ in self._actors]
            for up in self._up:
                up.set()
            places = [place for place in range(len(self._actors)) for _ in range(self._calls)]
            self._serving = [asyncio.create_task(self._serve(place)) for place in places]
            if self._head_lost is not None:
                self._serving.append(asyncio.create_task(self._watch(self._head_lost())))
        asked = _Waiting(item, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        self._unanswered.add(asked)
        self._news.set()
        try:
            result: Result = await asked.result
            return result
        finally:
            self._unanswered.discard(asked)

    def usage(self) -> Mapping[str, Usage]:
        """Return what each judge was asked, by all hosts, those that died included."""
        sums: dict[str, Usage] = {}
        for of_process in self._usage.values():
            for name, usage in of_process.items():
                sums.setdefault(name, Usage()).add(usage)
        return sums

    def close(self) -> None:
        """End the hosts; calling it again does nothing."""
        import ray

        if self._closed:
            return
        self._closed = True
        with suppress(RuntimeError):  # the loop is closed, and its tasks with it
            for serving in self._serving:
                serving.get_loop().call_soon_threadsafe(serving.cancel)
        with suppress(Exception):  # a cluster that is gone has no hosts either
            ray.wait([actor.close.remote() for actor in self._actors], num_returns=self.hosts, timeout=CLOSE_S)
            for actor in self._actors:
                ray.kill(actor)
        self._end()

    async def _watch(self, head_lost: Awaitable[JobError]) -> None:
        """End the job if Ray's head is lost: no host answers for sure, and Ray itself would end this process."""
        lost = await head_lost
        self._closed = True  # nothing of Ray can be asked, not even to end
        self._fail(lost, [*self._unanswered])

    async def _serve(self, place: int) -> None:
        """Give one host a part after the other, as long as it is up: a call of one that is down is no death of it."""
        up = self._up[place]
        while True:
            await up.wait()
            if not (part := self._part()):
                assert self._news is not None
                self._news.clear()
                await self._news.wait()
                continue
            tried = part[0].suspect
            self._trying |= tried
            try:
                answer: PartResults = await self._actors[place].results.remote([asked.item for asked in part])
            except Exception as error:
                if self._is_spent(place, error):
                    self._put_back(part, tried, losses=0)
                    return
                if self._is_end(error, part):
                    return
                self._put_back(part, tried)
                if up.is_set():
                    up.clear()
                    if not await self._is_back(place):
                        return
                    up.set()
            else:
                self._take(part, answer)
                self._done_trying(tried)

    def _part(self) -> list[_Waiting]:
        """Return what is to be scored next: a suspect, one at a time in the whole pool, or a part of the others."""
        if self._suspects and not self._trying:
            return [self._suspects.popleft()]
        part: list[_Waiting] = []
        while self._waiting and len(part) < self._most:
            asked = self._waiting.popleft()
            if not asked.result.cancelled():
                part.append(asked)
        return part

    def _done_trying(self, tried: bool) -> None:
        if tried:
            self._trying = False
            assert self._news is not None
            self._news.set()

    def _take(self, part: Sequence[_Waiting], answer: PartResults) -> None:
        self._usage[answer.process] = answer.usage
        for note in answer.notes:
            self._say_once(note)
        for asked, result in zip(part, answer.results, strict=True):
            if not asked.result.done():
                asked.result.set_result(result)

    def _is_spent(self, place: int, error: Exception) -> bool:
        """Return whether a host ends by this error, as its part of a budget is used up, and others have theirs left."""
        cause = getattr(error, "cause", error)
        if isinstance(cause, BudgetUsedUpError):
            self._spent.add(place)
            self._up[place].clear()
            if len(self._spent) < self.hosts:
                self._say_once(f"host {place + 1} ends; others take its rows: {cause}")
                return True
        return False

    def _is_end(self, error: Exception, part: Sequence[_Waiting]) -> bool:
        """Return whether the job ends by this error, and let those who wait know; else the host has died."""
        from ray.exceptions import RayError, RayTaskError

        if isinstance(error, RayError) and not isinstance(error, RayTaskError):
            lost = part[0]
            if lost.losses + 1 < MAX_LOSSES + MAX_DEATHS:
                return False
            error = JobError(f"{self._name(lost.item)}: {MAX_DEATHS} hosts died when they had it; see Ray's logs")
        self._fail(error, part)
        return True

    def _fail(self, error: Exception, part: Sequence[_Waiting] = ()) -> None:
        """End the job by an error, and let those who wait know."""
        self._failed = end = _job_error(error)
        for asked in (*part, *self._suspects, *self._waiting):
            if not asked.result.done():
                asked.result.set_exception(end)
        self._suspects.clear()
        self._waiting.clear()

    def _put_back(self, part: Sequence[_Waiting], tried: bool, losses: int = 1) -> None:
        for asked in reversed(part):
            asked.losses += losses
            (self._suspects if asked.suspect else self._waiting).appendleft(asked)
        self._done_trying(tried)
        assert self._news is not None
        self._news.set()

    async def _is_back(self, place: int) -> bool:
        """Wait until a host that has died is there again, started anew if Ray gives it up.

        Return False if the job ends, since the host cannot open its work there.
        """
        from ray.exceptions import ActorDiedError, RayError, RayTaskError

        self._say_once(f"host {place + 1} has died; others take its rows, and Ray starts it again")
        if not any(up.is_set() for up in self._up):
            self._say_once("no host is up; the job waits until Ray starts one (`ray status` says what it waits for)")
        openings = 0
        while True:
            actor = self._actors[place]
            try:
                await actor.ready.remote()
                return True
            except ActorDiedError:
                if self._actors[place] is actor:
                    self._actors[place] = self._start(place)
            except RayTaskError as error:
                openings += 1
                if openings == MAX_OPENINGS:
                    self._fail(error)
                    return False
            except RayError:  # it is not there yet
                pass
            except Exception as error:
                self._fail(error)
                return False
            await asyncio.sleep(PAUSE_S)

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(text)


def _job_error(error: Exception) -> JobError:
    """Return the error that ends the job: what a host raised, or that Ray is gone."""
    from ray.exceptions import RayTaskError

    cause = error.cause if isinstance(error, RayTaskError) else error
    if isinstance(cause, JobError):
        return cause
    if cause is error:
        return JobError(f"Ray's cluster cannot be asked any more: {one_line(error)}")
    return JobError(str(cause) if isinstance(cause, RewardlabError) else one_line(cause))
