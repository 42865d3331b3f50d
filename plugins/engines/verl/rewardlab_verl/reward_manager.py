"""The reward manager `rewardlab` of verl: each completion goes to the actor that scores its whole group.

verl calls it for one completion at a time, in one of several processes that it picks at random.
"""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from rewardlab import Completion
from rewardlab_ray.messages import MemberReward
from verl import DataProto
from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase

from rewardlab_verl.job_groups import CUT, OWN, SAID


class Groups(Protocol):
    """Something that knows the groups of completions."""

    async def reward(self, columns: Mapping[str, Any], completion: Completion) -> MemberReward:
        """Return the reward of a completion, once its group is scored. JobError if there is none."""


class RewardlabManager(RewardManagerBase):
    """A manager whose rewards are those of a recipe.

    That is the recipe of the job that `rewardlab run` started, or the file that `reward.reward_kwargs.recipe` names.
    """

    def __init__(self, config: Any, tokenizer: Any, compute_score: Any = None, *_: Any, **__: Any) -> None:
        super().__init__(config, tokenizer, compute_score)
        self._thread = ThreadPoolExecutor(1, "rewardlab-text")  # no tokenizer is used by two threads at once
        self._limit = int(config.actor_rollout_ref.rollout.response_length)
        self._job = config.algorithm.get("rewardlab") or {}
        self._ends = list(self._job.get("ends") or [tokenizer.eos_token_id])
        self._stop = tuple(self._job.get("stop") or ())
        self._groups = _groups(config)

    async def run_single(self, data: DataProto) -> dict[str, Any]:
        """Return the completion's reward, and the values of its components."""
        item = data[-1:][0]
        reward = await self._groups.reward(item.non_tensor_batch, await self._completion(item))
        return {"reward_score": reward.value, "reward_extra_info": dict(reward.logs)}

    async def _completion(self, item: Any) -> Completion:
        """Return what is scored: a text, or the conversation that our loop noted, whose length is the policy's own."""
        responses = item.batch["responses"]
        there = item.batch["attention_mask"][-responses.shape[-1] :].sum()
        ids = responses[: int(there)].tolist()
        extra = item.non_tensor_batch.get("tool_extra_fields", {})
        if self._job and SAID in extra:
            return Completion.of(json.loads(extra[SAID]), token_count=extra[OWN], truncated=extra[CUT])
        text = await asyncio.get_running_loop().run_in_executor(self._thread, self._decode, ids)
        return Completion(text=text, token_count=len(ids), truncated=self._is_truncated(ids, text))

    def _decode(self, ids: list[int]) -> str:
        text: str = self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return text

    def _is_truncated(self, ids: list[int], text: str) -> bool:
        """Return whether the limit was reached before an end; rollout engines call both "completed"."""
        return len(ids) >= self._limit and ids[-1] not in self._ends and not text.endswith(self._stop or ("\0",))


def _groups(config: Any) -> Groups:
    if config.algorithm.get("rewardlab") is not None:
        from rewardlab_verl.job_groups import JobGroups

        return JobGroups(config)
    from rewardlab_verl.script_groups import ScriptGroups

    return ScriptGroups(config)
