"""Judges as real objects, and a fixture that builds a reward by rubric with one."""

import asyncio
import json
from collections.abc import Callable

import pytest
from rewardlab import Ask, Completion, Context, Group, GroupStream, Reply, Sample, find


class ScriptedJudge:
    """A judge that replies with `reply(ask)`: a Reply, a text, or any score, which becomes JSON."""

    def __init__(self, reply: Callable):
        self._reply = reply
        self.asked: list[Ask] = []
        self.understood_: list[bool] = []

    async def ask(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        reply = self._reply(ask)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Reply):
            return reply
        text = reply if isinstance(reply, str) and "{" in reply else json.dumps({"explanation": "so", "score": reply})
        return Reply(text=text, prompt_tokens=10, completion_tokens=2)

    def report_parsed(self, reply: Reply, ok: bool) -> None:
        self.understood_.append(ok)


@pytest.fixture
def scripted():
    return ScriptedJudge


@pytest.fixture
def rubric():
    """rubric("pointwise", judge, texts, sample_id=..., fields=..., **options) -> list[Score]."""

    def score(name, judge, texts, /, *, sample_id="s", fields=None, **options):
        spec = find("reward", f"rubric/{name}")
        config = spec.config.model_validate({"judge": "scripted", **options})
        reward = spec.build(config, Context(judges={"scripted": judge}))
        prompt = [{"role": "user", "content": "What is 3 + 4?"}]
        sample = Sample(id=sample_id, prompt=prompt, fields=fields or {})
        completions = [Completion(text=text) for text in texts]
        if spec.scope == "group":
            return asyncio.run(reward.score(GroupStream.of(Group(sample=sample, completions=completions))))
        return asyncio.run(reward.score([(sample, completion) for completion in completions]))

    return score
