"""The plugin `cases` for the tests of workers."""

import os
import sys
from functools import partial
from pathlib import Path

import obeys
from rewardlab import Config, RewardSpec, Score, hookimpl

obeys.Score = Score


class Options(Config):
    factor: float = 1.0
    folder: Path = Path("/nowhere")


class Echo:
    """A reward of ordinary manners: the value is the text's length, `info` tells all that it was given."""

    def __init__(self, options, context):
        self.options, self.context = options, context

    def score(self, items):
        return [self.one(sample, completion) for sample, completion in items]

    def one(self, sample, completion):
        if not completion.text:
            return Score(info={"why": "empty"}) if completion.truncated else Score(error="empty")
        info = {
            "sample": [
                sample.id,
                [dict(message) for message in sample.prompt],
                dict(sample.fields),
                sample.source,
            ],
            "completion": [completion.text, completion.token_count, completion.truncated],
            "context": [self.context.seed, str(self.context.cache_dir), self.context.device],
            "folder": str(self.options.folder),
        }
        return Score(value=len(completion.text) * self.options.factor, info=info)


class Grouped:
    """The place of each text by length."""

    async def score(self, stream):
        seen = {index: len(completion.text) async for index, completion in stream}
        order = sorted(seen.values())
        group = await stream.group()
        return [Score(value=float(order.index(len(completion.text)))) for completion in group.completions]


def fails_to_build(options, context):
    print("about to fail", file=sys.stderr)
    raise ImportError("no module named 'heavy'")


def announced(options, context):
    obeys.announce(str(context.cache_dir))
    return obeys.build(options, context)


class Unawaited:
    async def score(self, items):
        return []


def dies_in_build(options, context):
    os._exit(7)


reward = partial(RewardSpec, summary="a case", range=(0.0, 1e9), runs="worker", config=Options)


@hookimpl
def rewardlab_rewards():
    return [
        reward(name="echo", build=Echo),
        reward(name="obeys", build=obeys.build),
        reward(name="announced", build=announced),
        reward(name="grouped", scope="group", build=lambda options, context: Grouped()),
        reward(name="fails_to_build", build=fails_to_build),
        reward(name="dies_in_build", build=dies_in_build),
        reward(name="unawaited", build=lambda options, context: Unawaited()),
    ]
