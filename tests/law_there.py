"""Rewards that another process finds by this module: by its hook, by a name, in a list."""

import os
import sys
from types import SimpleNamespace

from rewardlab import Config, RewardSpec, Sample, hookimpl
from rewardlab.laws import Laws, RewardExample

CALL = f"{__name__}:said"


class Options(Config):
    factor: int = 1


def said(reward, payload):
    """What the reward is, in the process in which it is asked; nothing divides by 0."""
    if isinstance(payload, int):
        1 / payload
    return {
        "asked": payload,
        "factor": reward.factor,
        "process": os.getpid(),
        "hypothesis": "hypothesis" in sys.modules,
        "salt": os.environ.get("PYTHONHASHSEED"),
        "judge": reward.context.judges["main"],
        "cache": str(reward.context.cache_dir),
    }


def build(options, context):
    if options.factor == 13:
        raise ValueError("no factor of 13")
    return SimpleNamespace(score=list, factor=options.factor, context=context)


def examples():
    return [RewardExample(sample=Sample(), good=(), bad=(), judges=lambda: {"main": "the judge of an example"})]


def spec(name, built=build):
    return RewardSpec(name=name, summary="", config=Options, build=built, laws=Laws(examples=examples))


def by_closure(number):
    return spec("by-closure", lambda options, context: SimpleNamespace(score=list, number=number))


SPEC = spec("there")
LISTED = [spec("listed")]
BY_CLOSURE = by_closure(1)


@hookimpl
def rewardlab_rewards():
    return [spec("hooked", lambda options, context: SimpleNamespace(score=list))]
