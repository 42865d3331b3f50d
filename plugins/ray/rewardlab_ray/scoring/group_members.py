"""The members of groups for engines that ask for each completion's reward alone, from any process: they meet here.

A member's completion is scored as far as that can be done alone as soon as it is there. Its reward comes once all of
its group are there, or once it is clear that they will not be.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from rewardlab import Completion
from rewardlab.errors import JobError, RewardlabError, one_line

from rewardlab_ray.messages import GroupPlace, GroupRewards, MemberReward

REMEMBERED = 1000
"""groups that are over; a call for one of them that is made again gets the same reward"""


class GroupScorer(Protocol):
    """Something that scores whole groups, whose completions are put as they come."""

    async def put(self, place: GroupPlace, index: int, completion: Completion) -> None:
        """Add completion `index` to a group and begin to score it."""

    async def finish(self, key: str, count: int = 0) -> GroupRewards | None:
        """Return the rewards of a group, in the order of its indices."""

    async def drop(self, key: str) -> None:
        """Give a group up that will not be completed."""

    async def shrink(self, place: GroupPlace) -> None:
        """Begin a group anew as one of this size; what was put of it, and still is for its old size, is void."""


class GroupMembers:
    """The groups of a scorer whose members come one by one.

    timeout: seconds for which the first member of a group waits for the last. on_partial: if some are lost, "fail" ends
    the job, and "score" scores the others as a group of their own size. fail: is told why the job has to end.
    """

    def __init__(
        self,
        scorer: GroupScorer,
        timeout: float,
        on_partial: Literal["fail", "score"],
        fail: Callable[[str], Awaitable[object]],
    ) -> None:
        self._scorer = scorer
        self._timeout = timeout
        self._on_partial = on_partial
        self._fail = fail
        self._groups: OrderedDict[str, _Meeting] = OrderedDict()

    async def reward(
        self, place: GroupPlace, index: int, completion: Completion | None, why: str = ""
    ) -> MemberReward | None:
        """Return the reward of member `index` of a group; None for one without a completion, which is lost.

        why: a completion was lost. JobError if the group cannot be scored.
        """
        meeting = self._groups.get(place.key) or self._open(place)
        if completion is not None and index not in meeting.came and not meeting.complete.is_set():
            await self._put(place, index, completion)
        meeting.come(index, completion)
        if completion is None:
            meeting.why = why or meeting.why
            return None
        rewards = await asyncio.shield(meeting.result)
        if index not in rewards:
            raise JobError(f"{_describe(place)}: completion {index} came after the others had been scored")
        return rewards[index]

    async def _put(self, place: GroupPlace, index: int, completion: Completion) -> None:
        try:
            await self._scorer.put(place, index, completion)
        except Exception as error:
            await self._fail(str(error) if isinstance(error, RewardlabError) else one_line(error))
            raise

    def _open(self, place: GroupPlace) -> "_Meeting":
        meeting = self._groups[place.key] = _Meeting(place)
        meeting.result = asyncio.ensure_future(self._lead(meeting))
        meeting.result.add_done_callback(lambda result: result.cancelled() or result.exception())  # marked as read
        while len(self._groups) > REMEMBERED and next(iter(self._groups.values())).result.done():
            self._groups.popitem(last=False)
        return meeting

    async def _lead(self, meeting: "_Meeting") -> Mapping[int, MemberReward]:
        try:
            return await self._score(meeting)
        except Exception as error:  # whatever it is, the job ends, and has to know why
            what = f"{_describe(meeting.place)}: {one_line(error)}"
            await self._fail(str(error) if isinstance(error, RewardlabError) else what)
            raise

    async def _score(self, meeting: "_Meeting") -> Mapping[int, MemberReward]:
        try:
            async with asyncio.timeout(self._timeout):
                await meeting.complete.wait()
        except TimeoutError:
            meeting.complete.set()  # whoever comes now is too late
        members = sorted(index for index, completion in meeting.came.items() if completion is not None)
        if len(members) < meeting.place.size:
            await self._go_on_without_lost(meeting, members)
        rewards = await self._scorer.finish(meeting.place.key, len(members))
        assert rewards is not None, "all members were put here"
        return {
            member: MemberReward(value=rewards.values[order], logs=rewards.logs[order])
            for order, member in enumerate(members)
        }

    async def _go_on_without_lost(self, meeting: "_Meeting", members: list[int]) -> None:
        """Make the group one of the members that are there; JobError if the job ends by those that are not."""
        place = meeting.place
        if self._on_partial == "fail" or not members:
            await self._scorer.drop(place.key)
            lost = place.size - len(members)
            what = f"{lost} of {place.size} completions were lost, or not there after {self._timeout:g} s"
            hint = "" if not members else "; `on_partial: score` scores the others"
            last = f"; the last of them: {meeting.why}" if meeting.why else ""
            raise JobError(f"{_describe(place)}: {what} (completion_timeout){last}{hint}")
        smaller = replace(place, size=len(members))
        await self._scorer.shrink(smaller)
        for order, member in enumerate(members):
            completion = meeting.came[member]
            assert completion is not None
            await self._scorer.put(smaller, order, completion)


@dataclass
class _Meeting:
    """One group, and who of it is there; None stands for a completion that was lost. why: the last of them was."""

    place: GroupPlace
    why: str = ""
    came: dict[int, Completion | None] = field(default_factory=dict)
    complete: asyncio.Event = field(default_factory=asyncio.Event)
    result: "asyncio.Future[Mapping[int, MemberReward]]" = field(init=False)

    def come(self, index: int, completion: Completion | None) -> None:
        """Note a member, unless the group is being scored without it."""
        if not self.complete.is_set():
            self.came.setdefault(index, completion)
        if len(self.came) >= self.place.size:
            self.complete.set()


def _describe(place: GroupPlace) -> str:
    return f"row {place.row} of the {'evaluation' if place.evaluation else 'training'} prompts"
