"""The agent loop `rewardlab` of verl: one completion of a prompt that is rendered already.

verl's own loop would put the prompt through the chat template again, knows no stop texts, and says nothing to the
others of a group if a completion is lost.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from rewardlab.errors import JobError
from rewardlab_ray.job.lost_process import is_loss, text_of_engine
from rewardlab_ray.ray_actors import Deadline
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput
from verl.utils.profiler import simple_timer

from rewardlab_verl.job_groups import JobGroups

BROKEN_OFF = ("abort", "aborted", "error")
"""how rollout engines call the end of a completion that cannot be used"""


class JobLoop(AgentLoopBase):
    """A loop of the job's: whoever loses a completion tells its group, and a time limit ends it."""

    async def run(self, sampling_params: dict[str, Any], **columns: Any) -> AgentLoopOutput:
        """Return the completion; columns: of verl's row."""
        seconds = self.config.algorithm.rewardlab.completion_timeout
        late = Deadline(seconds, f"a completion took more than {seconds:g} s (completion_timeout)")
        try:
            async with late:
                return await self.complete(self._sampling(sampling_params), columns)
        except Exception as error:
            groups, why = JobGroups(self.config), text_of_engine(error)
            if is_loss(error):
                await groups.engine_lost(why)
            await groups.lost(columns, why)
            raise

    @abstractmethod
    async def complete(self, sampling: dict[str, Any], columns: Mapping[str, Any]) -> AgentLoopOutput:
        """Return the completion. Raises whatever it is lost by."""

    async def tokens_of(self, text: str) -> list[int]:
        """Return the token ids of a prompt's text, which has its special tokens already."""
        return await asyncio.get_running_loop().run_in_executor(
            None, lambda: list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        )

    def _sampling(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return verl's parameters with those that only the recipe has; a stop text stays in the completion."""
        recipe = self.config.algorithm.rewardlab
        stop = list(recipe.get("stop") or ())
        params = {**params, **{name: recipe[name] for name in ("min_p", "repetition_penalty") if name in recipe}}
        if not stop:
            return params
        sglang = self.config.actor_rollout_ref.rollout.name == "sglang"
        return {**params, "stop": stop, ("no_stop_trim" if sglang else "include_stop_str_in_output"): True}


def require_whole(made: Any) -> None:
    """Raise JobError if the rollout engine did not end what it generated."""
    if made.stop_reason in BROKEN_OFF or not made.token_ids:
        raise JobError(f"the rollout engine broke off a completion: {made.stop_reason}")


class RenderedPromptLoop(JobLoop):
    """The loop of one completion."""

    async def complete(self, sampling: dict[str, Any], columns: Mapping[str, Any]) -> AgentLoopOutput:
        """Return what follows the prompt."""
        prompt_ids = await self.tokens_of(columns["raw_prompt"][0]["content"])
        metrics: dict[str, Any] = {}
        with simple_timer("generate_sequences", metrics):
            made = await self.server_manager.generate(
                request_id=uuid4().hex, prompt_ids=prompt_ids, sampling_params=sampling
            )
        require_whole(made)
        metrics["num_preempted"] = -1 if made.num_preempted is None else made.num_preempted
        limit = self.rollout_config.response_length
        return AgentLoopOutput(
            prompt_ids=prompt_ids,
            response_ids=list(made.token_ids)[:limit],
            response_mask=[1] * len(made.token_ids[:limit]),
            response_logprobs=list(made.log_probs)[:limit] if made.log_probs else None,
            routed_experts=made.routed_experts,
            num_turns=2,
            metrics=metrics,
            extra_fields={**made.extra_fields, "turn_scores": [], "tool_rewards": []},
        )
