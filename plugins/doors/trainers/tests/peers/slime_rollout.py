"""What slime does with a custom reward, copied from THUDM/slime at 624b824 (August 2026) but for the generation.

`Sample`: slime/utils/types.py. `load_function`: slime/utils/misc.py. `async_rm`, `batched_async_rm`:
slime/rollout/rm_hub/__init__.py. `rewarded` and `rewarded_group`: the ends of `generate_and_rm` and of
`generate_and_rm_group` in slime/rollout/sglang_rollout.py. `train_data`: `_post_process_rewards` and the loss masks of
`_convert_samples_to_train_data` in slime/ray/rollout.py. miles at 31f1ca9 calls the same functions.
"""

import importlib
from dataclasses import dataclass, field
from enum import Enum
from statistics import fmean, stdev


@dataclass
class Sample:
    class Status(Enum):
        PENDING = "pending"
        COMPLETED = "completed"
        TRUNCATED = "truncated"
        ABORTED = "aborted"
        FAILED = "failed"

    group_index: int | None = None
    index: int | None = None
    rollout_id: int | None = None
    prompt: str | list[dict[str, str]] = ""
    response: str = ""
    response_length: int = 0
    label: str | None = None
    reward: float | dict | None = None
    loss_mask: list[int] | None = None
    remove_sample: bool = False
    status: Status = Status.PENDING
    metadata: dict = field(default_factory=dict)
    custom_rm_path: str | None = None

    def get_reward_value(self, args):
        return self.reward if not args.reward_key else self.reward[args.reward_key]


def load_function(path):
    module_path, _, attr = path.rpartition(".")
    return getattr(importlib.import_module(module_path), attr)


async def async_rm(args, sample, **kwargs):
    if sample.custom_rm_path:
        return await load_function(sample.custom_rm_path)(args, sample, **kwargs)
    return await load_function(args.custom_rm_path)(args, sample, **kwargs)


async def batched_async_rm(args, samples, **kwargs):
    return await load_function(args.custom_rm_path)(args, samples, **kwargs)


async def rewarded(args, sample):
    sample.reward = await async_rm(args, sample)


async def rewarded_group(args, group):
    rewards = await batched_async_rm(args, group)
    for sample, reward in zip(group, rewards, strict=False):
        sample.reward = reward


def train_data(args, samples):
    """(rewards, loss masks)"""
    if args.custom_reward_post_process_path is not None:
        _, rewards = load_function(args.custom_reward_post_process_path)(args, samples)
    else:
        rewards = normalized([sample.get_reward_value(args) for sample in samples], args)
    masks = [[0 if sample.remove_sample else 1] * sample.response_length for sample in samples]
    return rewards, masks


def normalized(rewards, args):
    """One group's, which slime computes with torch."""
    mean = fmean(rewards)
    return [(r - mean) / (stdev(rewards) + 1e-6 if args.grpo_std_normalization else 1.0) for r in rewards]
