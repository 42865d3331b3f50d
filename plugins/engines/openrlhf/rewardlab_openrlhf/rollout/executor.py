"""The executor that OpenRLHF's rollout engines load: rewards of whole groups.

The stub in the run directory subclasses `GroupExecutor` and sets `job` and `settings`.
"""

import logging
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar
from uuid import uuid4

from openrlhf.utils.agent import AgentExecutorBase
from ray import get_runtime_context
from ray.exceptions import RayError
from rewardlab.errors import JobError, RewardlabError, one_line
from rewardlab_ray.ray_actors import JobActor, coordinator_name, scorer_name, scoring_deadline

from rewardlab_openrlhf.rollout.completions import TextThread
from rewardlab_openrlhf.rollout.engine_samples import ARRIVED_GROUP, RolloutRequest, describe_logs
from rewardlab_openrlhf.rollout.group_barrier import GroupBarrier
from rewardlab_openrlhf.rollout.group_rollout import GroupRollout, RolloutLimits, describe_prompt
from rewardlab_openrlhf.rollout.policy_questions import answer_question
from rewardlab_openrlhf.rollout.sampling import recipe_sampling

REPORT_LIMIT_S = 30.0
"""seconds for reporting to the coordinator why the job ends"""

TURN_S = 20.0
"""seconds after which a group asks again whether it is its turn: a call to an actor is not a place to wait for ever"""

_log = logging.getLogger(__name__)


class GroupExecutor(AgentExecutorBase):
    """The executor of OpenRLHF that generates and scores whole groups, through the actors of `job`.

    Args:
        settings: scorers (how many there are), completion_timeout, scoring_timeout, on_partial; chat_template if
            the recipe has one; sampling and evaluation_sampling, the recipe's TokenSampling as a mapping;
            generates_ahead if OpenRLHF receives groups of several steps at once; evaluation_before ({samples,
            temperature}) if the stage is evaluated before its first step; policy_judge if the recipe asks the
            policy itself. A failure reaches the coordinator, then every member of its group as a JobError.
    """

    job: ClassVar[str]
    settings: ClassVar[Mapping[str, Any]]

    def __init__(self) -> None:
        self._limits = RolloutLimits.of(self.settings)
        self._coordinator = JobActor(coordinator_name(self.job))
        self._scorers = [JobActor(scorer_name(self.job, number)) for number in range(self.settings["scorers"])]
        self._barrier = GroupBarrier()
        self._text_thread = TextThread()
        self._tokenizer: Any = None
        self._logs = ""
        self._before: Mapping[str, Any] | None = self.settings.get("evaluation_before")

    # Not `async`: OpenRLHF makes the calls of one prompt at once, so this runs for all of them before any starts.
    def execute(
        self,
        prompt: str,
        label: str,
        sampling_params: Any,
        max_length: int,
        hf_tokenizer: Any,
        llm_engine: Any,
        images: Any = None,
    ) -> Coroutine[Any, Any, dict[str, Any]]:
        """Return a coroutine for one member of a group; without `sampling_params`, for a question of policy/self."""
        if sampling_params is None:
            return self._answer(label, llm_engine)
        self._tokenizer = hf_tokenizer
        request = RolloutRequest(
            prompt=prompt,
            label=label,
            params=sampling_params,
            max_length=max_length,
            tokenizer=hf_tokenizer,
            engine=llm_engine,
            images=images,
        )
        siblings, index = self._barrier.join(sampling_params, label)
        return siblings.result(index, partial(self._roll_out, request))

    def _answer(self, label: str, engine: Any) -> Coroutine[Any, Any, dict[str, Any]]:
        timeout, template = self._limits.completion_timeout, self.settings.get("chat_template")
        return answer_question(label, self._tokenizer, engine, self._text_thread, timeout, template)

    async def _roll_out(self, request: RolloutRequest, size: int) -> list[dict[str, Any]]:
        try:
            prompt = await self._call_coordinator("rollout_prompt", request.label, subject=request.label)
            if self.settings.get("policy_judge"):
                await self._announce()
            if not prompt.evaluation:
                await self._evaluate_before(request)
            rollout = GroupRollout(
                self._drawn(request, prompt.evaluation), prompt, self._scorers, self._text_thread, self._limits
            )
            samples = await rollout.samples(size)
            self._require_same_logs(samples)
            if self.settings.get("generates_ahead") and not prompt.evaluation:
                await self._wait_for_turn(rollout.key, describe_prompt(prompt))
                samples[0][ARRIVED_GROUP] = rollout.key
            return samples
        except Exception as error:  # whatever it is, the job ends, and the coordinator has to know why
            known = isinstance(error, RewardlabError)
            message = str(error) if known else f"the rollout of {request.label} failed: {one_line(error)}"
            await self._report_failure(message)
            raise JobError(message) from error

    async def _evaluate_before(self, request: RolloutRequest) -> None:
        """Evaluate the weights before the first step: OpenRLHF evaluates after steps only.

        No step begins before each of its groups is there, and the first groups begin with this: each takes prompts to
        evaluate on until none is left.
        """
        while (before := self._before) is not None:
            prompt = await self._call_coordinator("claim_evaluation", uuid4().hex, subject="a prompt to evaluate on")
            if prompt is None:
                self._before = None
                return
            params = deepcopy(request.params)
            params.temperature = before["temperature"]
            evaluated = self._drawn(replace(request, params=params), evaluation=True)
            rollout = GroupRollout(evaluated, prompt, self._scorers, self._text_thread, self._limits)
            await rollout.samples(before["samples"])

    def _drawn(self, request: RolloutRequest, evaluation: bool) -> RolloutRequest:
        """Return a request whose tokens are drawn as the recipe says."""
        sampling = self.settings["evaluation_sampling" if evaluation else "sampling"]
        return replace(request, params=recipe_sampling(request.params, sampling))

    async def _wait_for_turn(self, key: str, subject: str) -> None:
        """Return once OpenRLHF has received all groups of the steps before this group's."""
        asked_for = min(TURN_S, self._limits.scoring_timeout / 2)  # an answer that takes longer would end the job
        while not await self._call_coordinator("may_go", key, asked_for, subject=subject):
            pass

    async def _announce(self) -> None:
        """Tell the coordinator that this engine takes questions; with every group, as a restart forgets it.

        Only if somebody asks: a process that holds an engine's handle has imported vLLM for it.
        """
        context = get_runtime_context()
        if context.get_actor_id() is not None:  # outside of an actor nobody could ask
            await self._call_coordinator("engine_here", context.current_actor, subject="a rollout engine")

    async def _call_coordinator(self, method: str, *arguments: Any, subject: str) -> Any:
        async with scoring_deadline(self._limits.scoring_timeout, subject, self._coordinator.name):
            return await self._coordinator.call(method, *arguments)

    async def _report_failure(self, message: str) -> None:
        with suppress(RayError):
            try:
                async with scoring_deadline(REPORT_LIMIT_S, "why the job ends", self._coordinator.name):
                    await self._coordinator.call("fail", message)
            except RewardlabError as error:
                _log.error("%s: %s", one_line(error), message)

    def _require_same_logs(self, samples: list[dict[str, Any]]) -> None:
        for sample in samples:
            logs = describe_logs(sample)
            self._logs = self._logs or logs
            if logs != self._logs:
                raise JobError(
                    f"every completion needs the same logs; the scorers gave {self._logs} before, {logs} now"
                )
