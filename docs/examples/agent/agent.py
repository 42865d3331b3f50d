"""A calculator as a tool in OpenRLHF's own job, whose completions a recipe of rewardlab scores (docs/agents.md)."""

import json
import math
import os
import re
from copy import deepcopy

import torch
from openrlhf.utils.agent import AgentInstanceBase, MultiTurnAgentExecutor
from rewardlab import load_reward

CALLS = 3
"""most questions to the calculator in one completion"""
CALL = re.compile(r"<calc>(\d{1,9})([+*-])(\d{1,9})</calc>\s*(?:<[^<>]{1,32}>)?$")
"""a question at the end of a turn, and the token that ends it"""


class Calculator(AgentInstanceBase):
    """One conversation: it goes on while the policy ends its turn with a question to the calculator."""

    def __init__(self):
        self.calls = 0

    async def step(self, states):
        """Return the tool's answer to the policy's turn, or that the conversation is over; the reward comes later."""
        asked = CALL.search(states["action_text"])
        over = asked is None or self.calls == CALLS
        self.calls += 1
        feedback = "" if over else f"<result>{calculate(*asked.groups())}</result>"
        return {"rewards": torch.zeros(1), "environment_feedback": feedback, "done": over}


def calculate(a, sign, b):
    a, b = int(a), int(b)
    return {"+": a + b, "-": a - b, "*": a * b}[sign]


def conversation(played, tokenizer):
    """Yield the policy's turns and, between them, what the tool said."""
    tokens, turns = played["observation_tokens"], played["action_ranges"]
    for (begin, end), (following, _) in zip(turns, [*turns[1:], (len(tokens), None)], strict=True):
        yield {"role": "assistant", "content": tokenizer.decode(tokens[begin:end], skip_special_tokens=True)}
        if end < following:
            yield {"role": "tool", "content": tokenizer.decode(tokens[end:following], skip_special_tokens=True)}


class AgentExecutor(MultiTurnAgentExecutor):
    """What OpenRLHF's rollout engines run for every completion."""

    def __init__(self):
        super().__init__(Calculator)
        self.reward = load_reward(os.environ["REWARDLAB_RECIPE"])

    async def execute(self, prompt, label, sampling_params, max_length, hf_tokenizer, llm_engine, images=None):
        # a copy: OpenRLHF changes max_tokens of an object that all completions of the prompt share
        params = deepcopy(sampling_params)
        played = await super().execute(prompt, label, params, max_length, hf_tokenizer, llm_engine, images)
        completion = {
            "messages": list(conversation(played, hf_tokenizer)),
            "token_count": sum(end - begin for begin, end in played["action_ranges"]),
            "truncated": played["truncated"],
        }
        # a conversation without room for another turn ends there, too, so it is scored here and not in `step`
        [group] = await self.reward.ascore([{**json.loads(label), "completions": [completion]}])
        values = {name: scores[0].value for name, scores in group.components.items()}
        played["reward"], played["scores"] = group.shaped[0], values["accuracy"]
        played["extra_logs"] = {name: math.nan if value is None else value for name, value in values.items()}
        return played
