"""One group at its scorer: completions are put as they come, rewards are requested when all are there."""

import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from ray.exceptions import RayActorError
from rewardlab import Completion
from rewardlab.errors import JobError

from rewardlab_openrlhf.messages import GroupPlace, GroupRewards, RolloutPrompt
from rewardlab_openrlhf.ray_actors import JobActor

T = TypeVar("T")


def describe_prompt(prompt: GroupPlace | RolloutPrompt) -> str:
    """Return how messages name a prompt: "row 3 of the training prompts"."""
    return f"row {prompt.row} of the {'evaluation' if prompt.evaluation else 'training'} prompts"


class GroupScoring:
    """A client for one group at its scorer, which gets `timeout` seconds for each answer.

    A scorer that Ray has restarted knows nothing of the group: everything is put again.
    """

    def __init__(self, scorer: JobActor, place: GroupPlace, timeout: float):
        self.place = place
        self._scorer = scorer
        self._timeout = timeout
        self._what = describe_prompt(place)
        self._pool: dict[int, Completion] = {}
        self._losses = scorer.losses

    async def put(self, index: int, completion: Completion) -> None:
        """Hand over completion `index`; from `place.size` on, those that the group sampler wanted in addition."""
        self._pool[index] = completion

        async def attempt() -> None:
            with suppress(RayActorError):  # only a head start is lost: `more` notices, and puts it again
                await self._scorer.call("put", self.place, index, completion)

        await self._across_restarts(attempt)

    async def more(self) -> int:
        """Return how many further completions the group sampler wants now."""

        async def attempt() -> int:
            losses = self._scorer.losses
            # None: the scorer was restarted between two calls, which raises nothing
            while (wanted := await self._scorer.call("more", self.place.key, len(self._pool))) is None:
                await self._put_all()
            self._losses = losses
            return wanted

        return await self._across_restarts(attempt)

    async def finish(self) -> GroupRewards:
        """Return the rewards, checked; call it after a `more` that returned 0. JobError where the scoring fails."""

        async def attempt() -> GroupRewards:
            if self._losses != (losses := self._scorer.losses):
                await self._put_all()
                self._losses = losses
            return await self._scorer.call("finish", self.place.key)

        rewards = await self._across_restarts(attempt)
        self._check(rewards)
        return rewards

    async def drop(self) -> None:
        """Give the group up: it will not be completed."""
        await self._across_restarts(lambda: self._scorer.call("drop", self.place.key))

    async def _across_restarts(self, attempt: Callable[[], Awaitable[T]]) -> T:
        return await self._scorer.across_restarts(attempt, self._timeout, self._what)

    async def _put_all(self) -> None:
        for index, completion in list(self._pool.items()):  # one by one: many long texts at once hold the loop
            await self._scorer.call("put", self.place, index, completion)

    def _check(self, rewards: GroupRewards) -> None:
        """Raise JobError unless there is a finite reward for each member: OpenRLHF silently skips a step with NaN."""
        source, size = f"{self._what}: {self._scorer.name}", self.place.size
        for numbers in (rewards.kept, rewards.values, rewards.logs, rewards.correctness):
            if numbers is not None and len(numbers) != size:
                raise JobError(f"{source} gave {len(numbers)} rewards to a group of {size}")
        if strange := set(rewards.kept) - self._pool.keys():
            raise JobError(f"{source} kept completions {sorted(strange)} of {len(self._pool)}")
        for name, numbers in (("rewards", rewards.values), ("correctness", rewards.correctness or ())):
            if not all(map(math.isfinite, numbers)):
                raise JobError(f"{source} gave {name} that are not finite: {[float(number) for number in numbers]}")
