"""Judges that read `parts`, as real objects with `async ask`, and a fixture that scores a group with one."""

import asyncio
import random
from collections.abc import Callable

import pytest
from rewardlab import Ask, Completion, Context, Group, GroupStream, Reply, Sample, Score, find


class ScriptedJudge:
    """A judge that replies with `reply(a, b)` and keeps every question in `asked`."""

    def __init__(self, reply: Callable[[str, str], str | Reply | Exception], delays: random.Random | None = None):
        self._reply, self._delays = reply, delays
        self.asked: list[Ask] = []

    async def ask(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        for _ in range(self._delays.randrange(6) if self._delays else 0):
            await asyncio.sleep(0)
        reply = self._reply(ask.parts["a"], ask.parts["b"])
        if isinstance(reply, Exception):
            raise reply
        return Reply(text=reply, prompt_tokens=10, completion_tokens=2) if isinstance(reply, str) else reply

    def report_parsed(self, reply, ok):
        """Nobody counts here."""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(ask.parts["a"], ask.parts["b"]) for ask in self.asked]


@pytest.fixture
def scripted() -> type[ScriptedJudge]:
    return ScriptedJudge


@pytest.fixture
def win_rate():
    """win_rate(judge, texts, sample_id=..., fields=..., arrival=[...], **options) -> list[Score]."""
    spec = find("reward", "pairwise/win_rate")

    def score(judge, texts, *, sample_id="s", fields=None, arrival=None, **options) -> list[Score]:
        config = spec.config.model_validate({"judge": "scripted", **options})
        reward = spec.build(config, Context(judges={"scripted": judge}))
        prompt = [{"role": "user", "content": "What is 3 + 4?"}]
        sample = Sample(id=sample_id, prompt=prompt, fields=fields or {})
        completions = [Completion(text=text) for text in texts]

        async def run() -> list[Score]:
            if arrival is None:
                return await reward.score(GroupStream.of(Group(sample=sample, completions=completions)))
            stream = GroupStream(sample, len(texts))
            scoring = asyncio.create_task(reward.score(stream))
            for index in arrival:
                await asyncio.sleep(0)
                stream.put(index, completions[index])
            return await scoring

        return asyncio.run(run())

    return score
