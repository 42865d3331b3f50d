"""The groups of a job as verl's processes name them: the group of a completion, and the actor that scores it."""

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from rewardlab import Completion
from rewardlab_ray.job.lost_process import ENGINE_LOST
from rewardlab_ray.messages import GroupPlace, MemberReward
from rewardlab_ray.ray_actors import JobActor, coordinator_name, scorer_name

COLUMN = "rewardlab"
"""the column of verl's rows that says which prompt each stands for: row, position, evaluation, opened"""

SAID, OWN, CUT = "rewardlab_messages", "rewardlab_tokens", "rewardlab_cut"
"""extra fields of a conversation's output: its messages as JSON, how many tokens are the policy's own, and whether a
limit ended it"""


class JobGroups:
    """The groups of one job, for verl's configuration `config`: `uid` names a group, `session_id` a member of it."""

    def __init__(self, config: Any) -> None:
        job = config.algorithm.rewardlab
        self._rollout = config.actor_rollout_ref.rollout
        self._coordinator = JobActor(coordinator_name(job.job))
        self._scorers = [JobActor(scorer_name(job.job, number)) for number in range(job.scorers)]

    async def reward(self, columns: Mapping[str, Any], completion: Completion) -> MemberReward:
        """Return the reward of a completion; one that is a text goes on where the prompt ended."""
        if not completion.messages:
            completion = completion.with_text(columns[COLUMN]["opened"] + completion.text)
        reward = await self._member(columns, completion)
        assert reward is not None, "a completion that is there has a reward, or an error"
        return reward

    async def lost(self, columns: Mapping[str, Any], why: str) -> None:
        """Tell the others of a group that this member will have no completion."""
        await self._member(columns, None, why)

    async def engine_lost(self, why: str) -> None:
        """End the job, as one that may be started again: its next completions would be lost, too."""
        await self._coordinator.call("fail", f"{ENGINE_LOST}: {why}")

    async def _member(
        self, columns: Mapping[str, Any], completion: Completion | None, why: str = ""
    ) -> MemberReward | None:
        place = self._place(columns)
        scorer = self._scorers[crc32(place.key.encode()) % len(self._scorers)]
        reward: MemberReward | None = await scorer.call("member", place, int(columns["session_id"]), completion, why)
        return reward

    def _place(self, columns: Mapping[str, Any]) -> GroupPlace:
        prompt = columns[COLUMN]
        evaluation = bool(prompt["evaluation"])
        return GroupPlace(
            key=str(columns["uid"]),
            row=int(prompt["row"]),
            evaluation=evaluation,
            step=int(columns["global_steps"]),
            size=int(self._rollout.val_kwargs.n if evaluation else self._rollout.n),
            position=None if evaluation else int(prompt["position"]),
        )
