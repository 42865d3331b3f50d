"""The agent loop `rewardlab` of a stage with an `agent`: verl's own loops play, and this one notes who said what.

The prompt is the recipe's, rendered already; what a loop adds to it afterwards, it renders itself. The conversation
goes to the reward with the completion, so that no text of a tool is taken for the policy's.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab.data import to_conversation
from rewardlab.errors import JobError
from verl.experimental.agent_loop import agent_loop as loops
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput

from rewardlab_verl.agent_loop import JobLoop, require_whole
from rewardlab_verl.job_groups import COLUMN, CUT, OWN, SAID

Turn = Mapping[str, Any]
"""a message of the conversation, as OpenAI's chat has it"""
BEGINS, ENDS = "<think>", "</think>"


class ConversationLoop(JobLoop):
    """The loop of one completion of several turns. plays: the loop's name in verl, or package.module:CLASS."""

    def __init__(self, plays: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._plays, self._arguments = plays, arguments

    async def complete(self, sampling: dict[str, Any], columns: Mapping[str, Any]) -> AgentLoopOutput:
        """Return the whole conversation. JobError if the loop does not say what belongs to it."""
        played, prompt = self._player(), [dict(message) for message in columns["raw_prompt"]]
        heard = Listener(played, await self.tokens_of(columns[COLUMN]["text"]), len(prompt))
        output = await played.run(sampling, **{**columns, "raw_prompt": prompt})
        if not isinstance(output, AgentLoopOutput):
            raise JobError(f"agent loop {self._plays}: a completion is one sequence, and it made {len(output)} of one")
        _end_with_the_policy(output)
        if not heard.turns or not any(output.response_mask):
            raise JobError(f"agent loop {self._plays}: the policy has no turn")
        ends = list(self.config.algorithm.rewardlab.get("ends") or [self.tokenizer.eos_token_id])
        messages = await heard.conversation(output.response_mask, ends, str(columns[COLUMN]["opened"]))
        full = len(output.response_ids) >= self.rollout_config.response_length
        cut = full and output.response_ids[-1] not in ends
        fields = {SAID: json.dumps(messages), OWN: sum(output.response_mask), CUT: cut or _waits(messages)}
        output.extra_fields = {"turn_scores": [], "tool_rewards": [], **output.extra_fields, **fields}
        return output

    def _player(self) -> AgentLoopBase:
        from hydra.utils import instantiate

        known = loops._agent_loop_registry
        config = known.get(self._plays) or {"_target_": self._plays.replace(":", ".")}
        player: AgentLoopBase = instantiate(config, **self._arguments)
        return player


class Listener:
    """A listener between a loop and verl, which notes its turns and the messages behind the prompt."""

    def __init__(self, played: AgentLoopBase, prompt_ids: list[int], prompt: int) -> None:
        """Listen from now on.

        Args:
            prompt: how many messages it has.
        """
        self.turns: list[list[int]] = []
        self._prompt_ids, self._prompt = prompt_ids, prompt
        self._messages: Sequence[Turn] = ()
        self._noted = 0
        self._played, self._tokenizer = played, played.tokenizer
        self._server, self._merge = played.server_manager, played.ct_merge_context_msg
        played.server_manager = self
        played.ct_build_initial_tokens = self._begin
        played.ct_merge_context_msg = self._go_on

    async def generate(self, *arguments: Any, **more: Any) -> Any:
        """Return what the rollout engine generates: a turn of the policy."""
        made = await self._server.generate(*arguments, **more)
        require_whole(made)
        self.turns.append(list(made.token_ids))
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    async def _begin(self, *_: Any, **__: Any) -> list[int]:
        return list(self._prompt_ids)

    async def _go_on(self, previous: Any, updated: Any, *arguments: Any, **more: Any) -> Any:
        self._messages, self._noted = [dict(message) for message in updated[self._prompt :]], len(self.turns)
        return await self._merge(previous, updated, *arguments, **more)

    async def conversation(self, mask: Sequence[int], ends: Sequence[int], opened: str) -> list[Turn]:
        """Return the messages behind the prompt. JobError if a turn before the last is in none.

        Args:
            mask: of the response's tokens, which end with the policy's.
            opened: what the chat template begins a turn with.
        """
        unnoted = self.turns[self._noted :]
        if len(unnoted) > 1:
            problem = "are in no message: it has to merge what follows a turn by ct_merge_context_msg"
            raise JobError(f"{len(unnoted)} turns of the agent loop {problem}")
        marks = [self._tokenizer.decode([end]) for end in ends]
        messages = [_as_turn(message, marks, opened) for message in self._messages]
        if unnoted:
            kept = next((place for place, own in enumerate(reversed(mask)) if not own), len(mask))
            messages.append(_as_turn(await self._last(unnoted[0][:kept]), marks, opened))
        try:
            return list(to_conversation(messages, "the conversation"))
        except ValueError as error:
            raise JobError(f"the agent loop's messages cannot be read: {error}") from error

    async def _last(self, ids: list[int]) -> Turn:
        """Return the last turn as a message; its calls, if it has any, have no result."""
        if (parser := getattr(self._played, "tool_parser", None)) is not None:
            tools = [tool.tool_schema for tool in self._played.tools.values()]
            text, calls = await parser.extract_tool_calls(ids, tools)
            if calls:
                named = [{"function": {"name": call.name, "arguments": call.arguments}} for call in calls]
                return {"role": "assistant", "content": text, "tool_calls": named}
        text = self._tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return {"role": "assistant", "content": text}


def _as_turn(message: Turn, marks: Sequence[str], opened: str) -> Turn:
    """Return a message with a policy's text as rewards read it: without what ends a turn, with what began it."""
    if message["role"] != "assistant" or not isinstance(text := message.get("content"), str):
        return message
    while mark := next((mark for mark in marks if mark and text.endswith(mark)), ""):
        text = text.removesuffix(mark)
    return {**message, "content": opened + text if ENDS in text and BEGINS not in text else text}


def _waits(messages: Sequence[Turn]) -> bool:
    """Return whether a conversation ends before an answer: with a result, or a call that has none."""
    return messages[-1]["role"] != "assistant" or bool(messages[-1].get("tool_calls"))


def _end_with_the_policy(output: AgentLoopOutput) -> None:
    """Cut off what follows the policy's last token, where its reward is: nobody reads it, and it does not teach."""
    count = len(output.response_mask)
    while count and not output.response_mask[count - 1]:
        count -= 1
    output.response_ids, output.response_mask = output.response_ids[:count], output.response_mask[:count]
    if output.response_logprobs is not None:
        output.response_logprobs = output.response_logprobs[:count]
    if output.routed_experts is not None:
        output.routed_experts = output.routed_experts[: len(output.prompt_ids) + count]
