"""The toy rewards, judge and normalizer."""

import asyncio
import math
import os
import time
from pathlib import Path

from rewardlab import Ask, Completion, GroupStream, Reply, Sample, Score


class Brevity:
    """A reward of 1 up to `words` words, then falling: words / n."""

    def __init__(self, options, context):
        self._words = options.words

    def score(self, items: list[tuple[Sample, Completion]]) -> list[Score]:
        return [Score(value=min(1.0, self._words / max(1, len(c.text.split())))) for _, c in items]


class BrevityByModel:
    """The same reward, with a model in another process that counts the words; `pid` in info is that process."""

    def __init__(self, options, context):
        self._words = options.words
        self._model = context.workers.open(Path(__file__).with_name("model_worker.py"), {})

    async def score(self, items):
        answers = await self._model.ask([c.text for _, c in items])
        return [Score(value=min(1.0, self._words / max(1, a["words"])), info={"pid": a["pid"]}) for a in answers]


class Letters:
    """A reward for the share of letters among the characters, as a coroutine that lets others run before it."""

    def __init__(self, options=None, context=None):
        pass

    async def score(self, items):
        await asyncio.sleep(0)
        return [Score(value=sum(map(str.isalpha, c.text)) / max(1, len(c.text))) for _, c in items]


class Longest:
    """A reward of group scope: 1 for every completion of the greatest length."""

    def __init__(self, options=None, context=None):
        pass

    async def score(self, stream: GroupStream) -> list[Score]:
        group = await stream.group()
        longest = max(len(c.text) for c in group.completions)
        return [Score(value=float(len(c.text) == longest)) for c in group.completions]


class Prefer:
    """A reward of group scope that asks a judge about each completion as it arrives."""

    def __init__(self, options, context):
        self._judge = context.judges[options.judge]

    async def score(self, stream: GroupStream) -> list[Score]:
        scores = [Score(error="never arrived")] * stream.size
        async for index, completion in stream:
            question = {"role": "user", "content": f"Is this polite, yes or no?\n{completion.text}"}
            reply = await self._judge.ask(Ask(messages=(question,), parts={"a": completion.text}))
            scores[index] = Score(error=reply.error) if reply.error else Score(value=float(reply.text == "yes"))
        return scores


class PoliteJudge:
    """A judge that says yes to anyone who says please."""

    def __init__(self, options=None, context=None):
        pass

    async def ask(self, ask: Ask) -> Reply:
        return Reply(text="yes" if "please" in ask.parts["a"] else "no")


class HalfDistance:
    """A normalizer to half of each total's distance to the mean."""

    def __init__(self, options=None, context=None):
        pass

    def shape(self, totals, tokens, kept, seed):
        mean = sum(totals) / len(totals)
        return [(totals[i] - mean) / 2 for i in kept]


class FaultyReward:
    """A reward of 0.5, except for completions that hold `when`: those go wrong as `how` says."""

    def __init__(self, options, context):
        self._options = options

    def score(self, items):
        how = self._options.how
        bad = any(self._options.when in c.text for _, c in items)
        if bad and how in _WHOLE_CALL:
            return _WHOLE_CALL[how](self._options, items)
        return [_SCORES[how] if self._options.when in c.text else Score(value=0.5) for _, c in items]


def _raise(options, items):
    raise ValueError("the toy was told to raise")


def _hang(options, items):
    time.sleep(options.seconds)
    return [Score(value=0.5)] * len(items)


_WHOLE_CALL = {
    "raise": _raise,
    "hang": _hang,
    "exit": lambda options, items: os._exit(7),
    "short_list": lambda options, items: [Score(value=0.5)] * (len(items) - 1),
    "no_list": lambda options, items: 0.5,
}
_SCORES = {
    "nan": Score(value=math.nan),
    "infinite": Score(value=math.inf),
    "out_of_range": Score(value=1.5),
    "abstain": Score(info={"reason": "not for me"}),
    "text": Score(value="high"),
    "fail": Score(error="the toy failed"),
}
