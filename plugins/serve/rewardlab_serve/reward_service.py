"""Groups from their first completion to the answer: each is scored once, whoever asks for it and however often."""

import asyncio
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from rewardlab import Group
from rewardlab.data import to_id
from rewardlab.errors import JobError, one_line
from rewardlab.plan import Plan
from rewardlab.scorefile import output_row, to_line
from rewardlab.scoring import MissingGuard, RowCheck, Scorer

from rewardlab_serve.cohort import Cohort, GroupIdentity, digest_of_completion, digest_of_sample
from rewardlab_serve.errors import RequestError, bad_row, too_many, unavailable
from rewardlab_serve.kept_answers import KeptAnswer, KeptAnswers
from rewardlab_serve.metrics import Metrics

MAX_ID, MAX_GROUP = 512, 4096
"""characters of a group's id; completions of a group"""


@dataclass(frozen=True, kw_only=True)
class ServiceLimits:
    """The bounds of a service.

    cohort: seconds that a group may take to arrive, from its first completion on. scoring: seconds that it may be
    scored for once it is there. groups, characters: that are under way at the same time, and of their completions.
    kept: bytes of answers that are kept.
    """

    cohort: float = 600.0
    scoring: float | None = None
    groups: int = 1024
    characters: int = 2**28
    kept: int = 64 * 2**20


class RewardService:
    """The reward of a recipe for groups that come over a network; used on one event loop.

    A group is known by its id. Whoever asks about it, with all of it or with a member, waits for the same answer; once
    it is there, a repeat gets it again, as long as it is kept. A group that fails is forgotten, so that a repeat is
    scored anew.
    """

    def __init__(self, plan: Plan, scorer: Scorer, limits: ServiceLimits, metrics: Metrics) -> None:
        self.plan, self._scorer, self._limits, self._metrics = plan, scorer, limits, metrics
        self._check = RowCheck(plan)
        self._guard = MissingGuard.over_rows(plan.uses_in_total)
        self._kept = KeptAnswers(limits.kept)
        self._pending: dict[str, Cohort] = {}
        self.draining = False
        metrics.watch(lambda: len(self._pending), scorer.judges.attempt_usage)

    async def group(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return what `rewardlab score` writes about a row: {"id", "total", "shaped", "components"}.

        A row without an id is known by its content. Raises a RequestError if it gets no reward.
        """
        group = self._group_of(row)
        key = self._key(row.get("id")) or _key_of(group)
        return await self._answered(key, group, range(len(group.completions)), len(group.completions))

    async def member(
        self, key: Any, slot: int, size: int, row: Mapping[str, Any], age: float = math.inf
    ) -> dict[str, Any]:
        """Return what `group` returns, once all members of the group have come; `row` has one completion.

        slot: which of the group's `size` completions it is, from 0 on. age: seconds for which an answer counts as that
        of this group; afterwards the same id is another group. Raises a RequestError if the group gets no reward, also
        if the others do not come in time.
        """
        if not 1 <= size <= MAX_GROUP:
            raise bad_row(f"size is the number of the group's completions, 1 to {MAX_GROUP:,}, not {size}")
        group = self._group_of(row)
        if len(group.completions) != 1:
            raise bad_row(f"a member is one completion, and this request has {len(group.completions)}")
        found = self._key(key)
        if found is None:
            raise bad_row("a member needs the id of its group")
        return await self._answered(found, group, [slot], size, age)

    def state(self, key: str) -> tuple[dict[str, Any], bool] | None:
        """Return a group's answer and true, or while it is under way what has come and false; None if it is unknown."""
        if (kept := self._kept.get(key)) is not None:
            return json.loads(kept.line), True
        if (cohort := self._pending.get(key)) is not None:
            size = cohort.identity.size
            return {"id": key, "size": size, "arrived": size - len(cohort.missing())}, False
        return None

    def refusal(self) -> str | None:
        """Return why no new group is taken now; None if one is."""
        if self.draining:
            return "the server is being shut down, and takes no new group"
        try:
            self._guard.check()
        except JobError as error:
            return str(error)
        return None

    async def drain(self, seconds: float) -> None:
        """Take no new group, and wait until all that are under way are answered; after `seconds` with an error."""
        self.draining = True
        end = time.monotonic() + seconds
        while self._pending and time.monotonic() < end:
            await asyncio.sleep(0.05)
        tasks = [cohort.scoring for cohort in self._pending.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _group_of(self, row: Mapping[str, Any]) -> Group:
        try:
            return self._check.group(row, "the request")
        except ValueError as error:
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
        sample = digest_of_sample(group.sample)
        given = dict(zip(slots, group.completions, strict=True))
        kept = self._kept.get(key, age)
        if kept is not None:
            kept.identity.refuse_other(key, sample, size)
            for slot, completion in given.items():
                kept.identity.holds(key, slot, digest_of_completion(completion))
            self._metrics.repeated()
            answer: dict[str, Any] = json.loads(kept.line)
            return answer
        cohort = self._pending.get(key) or self._begin(key, group, size)
        cohort.identity.refuse_other(key, sample, size)
        for slot, completion in given.items():
            cohort.put(slot, completion)
        return dict(json.loads(await asyncio.shield(cohort.answer)))

    def _begin(self, key: str, group: Group, size: int) -> Cohort:
        if self.draining:
            raise unavailable("shutting_down", "the server is being shut down, and takes no new group", after=5.0)
        characters = sum(cohort.characters for cohort in self._pending.values())
        if len(self._pending) >= self._limits.groups or characters >= self._limits.characters:
            found = f"{len(self._pending):,} groups with {characters:,} characters"
            raise too_many(f"{found} are under way, as many as this server takes", after=1.0)
        cohort = Cohort(key, replace(group.sample, id=key), size)
        self._pending[key] = cohort
        cohort.scoring = asyncio.create_task(self._score(cohort))
        return cohort

    async def _score(self, cohort: Cohort) -> None:
        begun = time.monotonic()
        late = asyncio.get_running_loop().call_later(self._limits.cohort, self._expire, cohort)
        try:
            scored = await self._scorer.score(cohort.stream, self._limits.scoring)
            self._guard.count(scored)
            self._metrics.scored(scored, time.monotonic() - begun)
            self._guard.check()
            line = to_line(output_row(cohort.key, scored))
            self._kept.put(cohort.key, KeptAnswer(_finished(cohort.identity), line))
            cohort.answer.set_result(line)
        except asyncio.CancelledError:
            self._failed(cohort, unavailable("shutting_down", "the server was shut down before the group was scored"))
        except JobError as error:
            self._failed(cohort, unavailable("scoring_failed", str(error)))
        except Exception as error:  # a fault of ours is no reward either
            self._failed(cohort, unavailable("scoring_failed", one_line(error)))
        finally:
            late.cancel()
            del self._pending[cohort.key]

    def _failed(self, cohort: Cohort, error: RequestError) -> None:
        if not cohort.answer.done():
            self._metrics.failed(error.kind)
            cohort.answer.set_exception(error)

    def _expire(self, cohort: Cohort) -> None:
        """End a group whose members have not come; one that is complete goes on."""
        if missing := cohort.missing():
            slots = ", ".join(map(str, missing[:12])) + (", ..." if len(missing) > 12 else "")
            size = cohort.identity.size
            what = f"{len(missing)} of {size} members of group {cohort.key!r} have not come within"
            what = f"{what} {self._limits.cohort:g} s: {slots}; send all of its members again"
            self._failed(cohort, unavailable("incomplete_group", what))
            cohort.scoring.cancel()


def _finished(identity: GroupIdentity) -> GroupIdentity:
    return replace(identity, completions=dict(identity.completions))


def _key_of(group: Group) -> str:
    parts = [digest_of_sample(group.sample), *map(digest_of_completion, group.completions)]
    return sha256(" ".join(parts).encode()).hexdigest()
