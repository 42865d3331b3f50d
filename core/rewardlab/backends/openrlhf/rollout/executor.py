"""The executor that OpenRLHF's rollout engines load: rewards of whole groups.

The stub in the run directory subclasses `GroupExecutor` and sets `job` and `settings`.
"""

import logging
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from openrlhf.utils.agent import AgentExecutorBase
from ray import get_runtime_context
from ray.exceptions import RayError

from rewardlab.backends.openrlhf.rollout.actors import JobActor
from rewardlab.backends.openrlhf.rollout.answers import Call, shape
from rewardlab.backends.openrlhf.rollout.barrier import Barrier
from rewardlab.backends.openrlhf.rollout.completions import TextThread
from rewardlab.backends.openrlhf.rollout.group_rollout import GroupRollout, Limits
from rewardlab.backends.openrlhf.rollout.questions import answer_question
from rewardlab.errors import JobError, RewardlabError, one_line

TELLING = 30.0
"""seconds for telling the desk why the job ends"""

_log = logging.getLogger(__name__)


class GroupExecutor(AgentExecutorBase):
    """Generates and scores groups through the actors of `job`.

    settings: scorers (how many there are), completion_timeout, scoring_timeout, on_partial; and chat_template
    where the recipe has one. A failure reaches the desk, then every member of its group as a JobError.
    """

    job: ClassVar[str]
    settings: ClassVar[Mapping[str, Any]]

    def __init__(self) -> None:
        self._limits = Limits.of(self.settings)
        self._desk = JobActor(f"{self.job}/desk")
        self._scorers = [JobActor(f"{self.job}/scorer/{number}") for number in range(self.settings["scorers"])]
        self._barrier = Barrier()
        self._texts = TextThread()
        self._tokenizer: Any = None
        self._shape = ""

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
        """One member of a group; without `sampling_params`, a question of policy/self."""
        if sampling_params is None:
            return self._answer(label, llm_engine)
        self._tokenizer = hf_tokenizer
        call = Call(
            prompt=prompt,
            label=label,
            params=sampling_params,
            max_length=max_length,
            tokenizer=hf_tokenizer,
            engine=llm_engine,
            images=images,
        )
        siblings, index = self._barrier.join(sampling_params, label)
        return siblings.answer(index, partial(self._group, call))

    def _answer(self, label: str, engine: Any) -> Coroutine[Any, Any, dict[str, Any]]:
        timeout, template = self._limits.completion_timeout, self.settings.get("chat_template")
        return answer_question(label, self._tokenizer, engine, self._texts, timeout, template)

    async def _group(self, call: Call, size: int) -> list[dict[str, Any]]:
        try:
            turn = await self._of_desk("turn", call.label, call.label)
            await self._announce()
            rollout = GroupRollout(call, turn, self._scorers, self._texts, self._limits)
            answers = await rollout.answers(size)
            self._require_one_shape(answers)
            return answers
        except Exception as error:  # whatever it is, the job ends, and the desk knows why
            known = isinstance(error, RewardlabError)
            message = str(error) if known else f"the rollout of {call.label} failed: {one_line(error)}"
            await self._tell(message)
            raise JobError(message) from error

    async def _announce(self) -> None:
        """Tell the desk that this engine can be asked; with every group, as a restarted desk has forgotten it."""
        context = get_runtime_context()
        if context.get_actor_id() is not None:  # outside of an actor there is nothing that could be asked
            await self._of_desk("engine_here", context.current_actor, "a rollout engine")

    async def _of_desk(self, method: str, given: Any, what: str) -> Any:
        timeout = self._limits.scoring_timeout
        return await self._desk.across_restarts(lambda: self._desk.call(method, given), timeout, what)

    async def _tell(self, message: str) -> None:
        with suppress(RayError):
            try:
                what = "why the job ends"
                await self._desk.across_restarts(lambda: self._desk.call("fail", message), TELLING, what)
            except RewardlabError as error:
                _log.error("%s: %s", one_line(error), message)

    def _require_one_shape(self, answers: list[dict[str, Any]]) -> None:
        for one in answers:
            self._shape = self._shape or shape(one)
            if shape(one) != self._shape:
                raise JobError(
                    f"every completion needs the same logs; the scorers gave {self._shape} before, {shape(one)} now"
                )
