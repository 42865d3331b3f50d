"""Members of groups, for a scorer and a coordinator in this process, without Ray."""

import asyncio

from rewardlab import Completion
from rewardlab_ray.messages import GroupPlace

RECIPE = """
version: 1
model: org/model
dataset: {use: toy/counting, with: {rows: 8}}
reward:
  components:
    short: {use: toy/brevity, with: {words: 1}}
    longest: {use: toy/longest}
  total: short + longest
stages:
- {use: rl, algorithm: dr_grpo, batch_size: 2, group_size: 3}
backend: {use: verl, gpus_per_node: 1}
"""
PLACE = GroupPlace(key="g", row=3, evaluation=False, step=1, size=3, position=0)
TEXTS = ("one", "one two", "one two three")


class InThisProcess:
    """Calls an actor's methods on the loop that it was made on."""

    waiting = 0

    def __init__(self, actor):
        self._actor, self._loop = actor, asyncio.get_running_loop()

    async def call(self, method, *arguments):
        called = asyncio.run_coroutine_threadsafe(getattr(self._actor, method)(*arguments), self._loop)
        return await asyncio.wrap_future(called)


def member(scorer, index, place=PLACE):
    return asyncio.ensure_future(scorer.member(place, index, Completion(text=TEXTS[index], token_count=1)))
