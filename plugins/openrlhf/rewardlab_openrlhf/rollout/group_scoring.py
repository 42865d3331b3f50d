"""One group at its scorer: completions are put as they come, rewards are requested when all are there."""

import math
from typing import Any

from rewardlab import Completion
from rewardlab.errors import JobError
from rewardlab_ray.messages import GroupPlace, GroupRewards, RolloutPrompt
from rewardlab_ray.ray_actors import Deadline, JobActor, scoring_deadline


def describe_prompt(prompt: GroupPlace | RolloutPrompt) -> str:
    """Return how messages name a prompt: "row 3 of the training prompts"."""
    return f"row {prompt.row} of the {'evaluation' if prompt.evaluation else 'training'} prompts"


class GroupScoring:
    """A client for one group at its scorer, which gets `timeout` seconds for each answer.

    A scorer that Ray has restarted knows nothing of the group: everything is put again.
    """

    def __init__(self, scorer: JobActor, place: GroupPlace, timeout: float) -> None:
        self.place = place
        self._scorer = scorer
        self._timeout = timeout
        self._what = describe_prompt(place)
        self._pool: dict[int, Completion] = {}

    async def put(self, index: int, completion: Completion) -> None:
        """Hand over completion `index`; from `place.size` on, those that the group sampler wanted in addition."""
        self._pool[index] = completion
        async with self._deadline():
            await self._scorer.call("put", self.place, index, completion)

    async def more(self) -> int:
        """Return how many further completions the group sampler wants now."""
        return await self._answer("more")

    async def finish(self) -> GroupRewards:
        """Return the rewards, checked; call it after a `more` that returned 0. JobError where the scoring fails."""
        rewards = await self._answer("finish")
        self._check(rewards)
        return rewards

    async def drop(self) -> None:
        """Give the group up: it will not be completed."""
        async with self._deadline():
            await self._scorer.call("drop", self.place.key)

    async def _answer(self, method: str) -> Any:
        """Return what a method says of the group once the scorer, which may have been restarted, knows all of it."""
        async with self._deadline():
            while (answer := await self._scorer.call(method, self.place.key, len(self._pool))) is None:
                for index, completion in list(self._pool.items()):  # one by one: many long texts hold the loop
                    await self._scorer.call("put", self.place, index, completion)
        return answer

    def _deadline(self) -> Deadline:
        return scoring_deadline(self._timeout, self._what, self._scorer.name)

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
