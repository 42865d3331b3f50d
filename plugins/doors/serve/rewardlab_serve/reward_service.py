"""Groups from their first completion to the answer: each is scored once, whoever asks for it and however often."""

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewardlab import Completion, Group, ScoredGroup
from rewardlab.data import sample_id, to_id
from rewardlab.errors import JobError, one_line
from rewardlab.plan import Plan
from rewardlab.scorefile import output_row, to_line
from rewardlab.scoring import (
    MetGroup,
    MissingGuard,
    MissingMembersError,
    OnPartial,
    OtherMemberError,
    RowCheck,
    Scorer,
    ScoringHost,
    as_trainers_get_it,
)

from rewardlab_serve.cohort import GroupIdentity, ServedGroup, digest_of_completion, digest_of_group, digest_of_sample
from rewardlab_serve.errors import RequestError, bad_row, incomplete, late_member, too_many, unavailable
from rewardlab_serve.kept_answers import KeptAnswer, KeptAnswers
from rewardlab_serve.metrics import Metrics

MAX_ID, MAX_GROUP = 512, 4096
"""characters of a group's id; completions of a group"""
MAX_AT_ONCE = 256
"""groups of one request that are under way at the same time"""
UNREADY = 30.0
"""seconds for which the server says that it is not ready after a group with too many scores missing: so long that a
proxy sends the next ones elsewhere, and not for ever, since only further groups can show that it is well again"""


@dataclass(frozen=True, kw_only=True)
class ServiceLimits:
    """The bounds of a service.

    Args:
        cohort: seconds that a group may take to arrive, from its first completion on.
        on_partial: of a group that lacks members then: `fail`, or `score` those that came as a group of their own size.
        scoring: seconds that it may be scored for once it is there.
        groups, memory: that are under way at the same time, and bytes that they hold, at which no new group is taken;
            members of these groups are, up to twice as many.
        kept: bytes of answers that are kept.
    """

    cohort: float = 600.0
    on_partial: OnPartial = "fail"
    scoring: float | None = None
    groups: int = 1024
    memory: int = 2**28
    kept: int = 64 * 2**20


class RewardService:
    """The reward of a recipe for groups that come over a network; used on one event loop.

    A group is known by its id. Whoever asks about it, with all of it or with a member, waits for the same answer; once
    it is there, a repeat gets it again, as long as it is kept. A group that fails is forgotten, so that a repeat is
    scored anew.

    scored, failed: how many groups had an answer, and how many an error.
    """

    def __init__(self, plan: Plan, scorer: Scorer, limits: ServiceLimits, metrics: Metrics) -> None:
        self.plan, self._scorer, self._limits, self._metrics = plan, scorer, limits, metrics
        self._check = RowCheck(plan)
        self._guard = MissingGuard.over_rows(plan.guarded_uses)
        self._kept = KeptAnswers(limits.kept)
        self._pending: dict[str, ServedGroup] = {}
        self._host: ScoringHost[ServedGroup, dict[str, Any]] = ScoringHost(
            open_pool=lambda group, size: scorer.collect(group.sample, size, timeout=limits.scoring),
            finish=self._finished,
            deadline=limits.cohort,
            on_partial=limits.on_partial,
            scoring=limits.scoring,
            kept=limits.groups,  # until `_score` forgets them
        )
        self._memory = 0
        self.scored, self.failed = 0, 0
        self._ready_at, self._end = 0.0, math.inf
        self.draining = False
        metrics.watch(lambda: len(self._pending), scorer.judges.attempt_usage)

    async def group(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return what `rewardlab score` writes about a row: {"id", "total", "shaped", "components"}.

        A row without an id is known by its content, and has the id that `score` makes for it. Raises a RequestError if
        it gets no reward.
        """
        group, given = self._group_of(row), self._check.given_id(row)
        key = self._key(given) or digest_of_group(group)
        group = replace(group, sample=replace(group.sample, id=group.sample.id or sample_id(group.sample, 0)))
        answer = await self._answered(key, group, range(len(group.completions)), len(group.completions))
        return {**answer, "id": group.sample.id if given is None else given}

    def check(self, row: Mapping[str, Any]) -> None:
        """Raise a RequestError if a row is not what the recipe's reward can score."""
        self._group_of(row)

    async def in_turn(self, ask: Callable[[Any], Awaitable[Any]], rows: Iterable[Any]) -> list[Any]:
        """Return what `ask` gives for each row of a request, some at a time: a long request is not too many."""
        places = asyncio.Semaphore(MAX_AT_ONCE)

        async def placed(row: Any) -> Any:
            async with places:
                return await ask(row)

        return await asyncio.gather(*map(placed, rows))

    async def member(
        self, key: Any, slot: int, size: int, row: Mapping[str, Any], age: float = math.inf
    ) -> dict[str, Any]:
        """Return what `group` returns, once all members of the group have come; `row` has one completion.

        If some did not come, and `on_partial` is `score`, it has the slots of the others as `members`, too.

        Args:
            slot: which of the group's `size` completions it is, from 0 on.
            age: seconds for which an answer counts as that of this group; afterwards the same id is another group.

        Raises a RequestError if the group gets no reward, also if the others do not come in time.
        """
        if not 0 <= slot < size:
            raise bad_row(f"slot {slot} of group {key!r}, which has {size} completions: 0 to {size - 1}")
        group = self._group_of(row)
        if len(group.completions) != 1:
            raise bad_row(f"a member is one completion, and this request has {len(group.completions)}")
        group_key = self._key(key)
        if group_key is None:
            raise bad_row("a member needs the id of its group")
        group = replace(group, sample=replace(group.sample, id=group_key))
        return await self._answered(group_key, group, [slot], size, age)

    def state(self, key: str) -> tuple[dict[str, Any], bool] | None:
        """Return a group's answer and true, or while it is under way what has come and false; None if it is unknown."""
        if (kept := self._kept.get(key)) is not None:
            return json.loads(kept.line), True
        if (cohort := self._pending.get(key)) is not None:
            return {"id": key, "size": cohort.size, "arrived": len(cohort.identity.completions)}, False
        return None

    def refusal(self) -> str | None:
        """Return why no new group is taken now; None if one is."""
        if self.draining:
            return "the server is being shut down, and takes no new group"
        if time.monotonic() < self._ready_at:
            return "too many scores are missing; the groups that were asked about say of which component, and why"
        stopped = (str(judge.stopped) for judge in self._scorer.judges.values() if judge.stopped is not None)
        return next(stopped, None)

    def hurry(self) -> None:
        """Let `drain` wait no longer."""
        self._end = 0.0

    async def drain(self, seconds: float) -> None:
        """Take no new group, and wait until all that are under way are answered; after `seconds` with an error."""
        self.draining = True
        self._end = min(self._end, time.monotonic() + seconds)
        while self._pending and time.monotonic() < self._end:
            await asyncio.sleep(0.05)
        tasks = [cohort.scoring for cohort in self._pending.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _group_of(self, row: Mapping[str, Any]) -> Group:
        try:
            return self._check.group(row, "the request")
        except ValueError as error:
            self._check.abstentions.clear()  # a summary at the end of a file reads them; here they would grow for ever
            raise bad_row(str(error)) from error

    def _key(self, given: Any) -> str | None:
        try:
            key = None if given is None else to_id(given)
        except ValueError as error:
            raise bad_row(str(error)) from error
        if key is not None and len(key) > MAX_ID:
            raise bad_row(f"the id has {len(key):,} characters; {MAX_ID} are the most")
        return key

    async def _answered(
        self, key: str, group: Group, slots: Sequence[int], size: int, age: float = math.inf
    ) -> dict[str, Any]:
        if not 1 <= size <= MAX_GROUP:
            raise bad_row(f"a group has 1 to {MAX_GROUP:,} completions, not {size:,}")
        sample = digest_of_sample(group.sample)
        given = dict(zip(slots, group.completions, strict=True))
        digests = {slot: digest_of_completion(completion) for slot, completion in given.items()}
        kept = self._kept.get(key, age)
        if kept is not None and age < math.inf and not kept.identity.is_of(sample, size, digests):
            kept = None  # its id is used again, so that another text is another group
            self._kept.forget(key)
        if kept is not None:
            kept.identity.refuse_other(key, sample, size, digests)
            kept.identity.refuse_late(key, digests)
            self._metrics.repeated()
            answer: dict[str, Any] = json.loads(kept.line)
            return answer
        if self._memory + sum(completion.characters for completion in group.completions) > 2 * self._limits.memory:
            raise self._full()
        cohort = self._pending.get(key) or self._begin(key, group, size)
        cohort.identity.refuse_other(key, sample, size, digests)
        before = cohort.memory
        for slot, completion in given.items():
            self._put(cohort, slot, completion)
            cohort.note(slot, completion, digests[slot])
        self._memory += cohort.memory - before
        return await asyncio.shield(cohort.scoring)

    def _put(self, cohort: ServedGroup, slot: int, completion: Completion) -> None:
        try:
            self._host.put(cohort, slot, completion)
        except OtherMemberError:  # another text is refused before, so the group is being scored without this slot
            raise late_member(cohort.key, slot) from None

    def _begin(self, key: str, group: Group, size: int) -> ServedGroup:
        if self.draining:
            raise unavailable("shutting_down", "the server is being shut down, and takes no new group", after=5.0)
        if len(self._pending) >= self._limits.groups or self._memory >= self._limits.memory:
            raise self._full()
        cohort = ServedGroup(key, group.sample, size)
        self._pending[key] = cohort
        self._memory += cohort.memory
        cohort.scoring = asyncio.create_task(self._score(cohort))
        cohort.scoring.add_done_callback(_look_at)
        return cohort

    def _full(self) -> RequestError:
        load = f"{len(self._pending):,} groups with {self._memory:,} bytes"
        return too_many(f"{load} are under way, the limit of this server", after=1.0)

    async def _score(self, cohort: ServedGroup) -> dict[str, Any]:
        """Return what all who ask for a group are answered, or raise the RequestError that they get."""
        try:
            await asyncio.sleep(0)  # until its first member is put
            answer = await self._host.group(cohort.key)
            self.scored += 1
            return answer
        except asyncio.CancelledError:
            self._host.drop(cohort.key)
            message = "the server was shut down before the group was scored"
            raise self._failed(unavailable("shutting_down", message)) from None
        except MissingMembersError as error:
            raise self._failed(incomplete(cohort.key, cohort.size, error.missing, self._limits.cohort)) from error
        except Exception as error:  # a fault of ours is no reward either
            why = str(error) if isinstance(error, JobError) else one_line(error)
            raise self._failed(unavailable("scoring_failed", why)) from error
        finally:
            self._memory -= cohort.memory
            del self._pending[cohort.key]
            self._host.forget(cohort.key)  # a repeat is another group

    async def _finished(self, cohort: ServedGroup, met: MetGroup) -> dict[str, Any]:
        """Return what is answered about a group that is scored, and keep it."""
        scored = met.pooled.group
        self._metrics.scored(scored, time.monotonic() - cohort.began)
        self._count_missing(scored)
        row = output_row(cohort.sample.id, as_trainers_get_it(scored))
        if len(met.members) < cohort.size:
            row = {**row, "members": list(met.members)}
        self._kept.put(cohort.key, KeptAnswer(_finished(cohort.identity), to_line(row)))
        return row

    def _count_missing(self, scored: ScoredGroup) -> None:
        """Raise a JobError if this group lacks scores and too many did before; one that lacks none is right anyway."""
        try:
            self._guard.add(scored)
        except JobError:
            if any(score.error is not None for name in self.plan.guarded_uses for score in scored.components[name]):
                self._ready_at = time.monotonic() + UNREADY
                raise

    def _failed(self, error: RequestError) -> RequestError:
        self._metrics.failed(error.kind)
        self.failed += 1
        return error


def _look_at(scoring: "asyncio.Task[Any]") -> None:
    """Retrieve the exception of a group: all who waited for it may have gone."""
    if not scoring.cancelled():
        scoring.exception()


def _finished(identity: GroupIdentity) -> GroupIdentity:
    return replace(identity, completions=dict(identity.completions))
