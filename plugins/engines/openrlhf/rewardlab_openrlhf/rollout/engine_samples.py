"""The sample that OpenRLHF gets for one member of a group."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rewardlab.errors import JobError
from rewardlab_ray.messages import SCORED, GroupRewards

from rewardlab_openrlhf.rollout.completions import GeneratedCompletion

ARRIVED_GROUP = "rewardlab_group"
"""the key of a sample that says to OpenRLHF's trainer, when generation runs ahead, which group has arrived with it"""


@dataclass(frozen=True, kw_only=True)
class RolloutRequest:
    """The arguments that OpenRLHF passes to `execute`, the same for every member of a group."""

    prompt: str
    label: str
    params: Any
    """vLLM's SamplingParams"""
    max_length: int
    """most tokens of prompt and completion together"""
    tokenizer: Any
    engine: Any
    """has `async generate(prompt_ids, params)`"""
    images: Any = None


def engine_sample(
    request: RolloutRequest,
    prompt_ids: list[int],
    completion: GeneratedCompletion,
    rewards: GroupRewards,
    member: int,
) -> dict[str, Any]:
    """Return a completion and the rewards of member `member` in the form in which OpenRLHF's own executors do."""
    log_probs = completion.log_probs
    return {
        "prompt": request.prompt,
        "label": request.label,
        "images": request.images,
        "mm_train_inputs": None,
        "observation_tokens": prompt_ids + completion.ids,
        "action_ranges": [(len(prompt_ids), len(prompt_ids) + len(completion.ids))],
        "rollout_log_probs": None if log_probs is None else [0.0] * len(prompt_ids) + log_probs,
        "truncated": completion.truncated,
        "reward": float(rewards.values[member]),
        "scores": None if rewards.correctness is None else float(rewards.correctness[member]),
        "extra_logs": {name: float(value) for name, value in rewards.logs[member].items()},
    }


def sample_for_lost_member(request: RolloutRequest, prompt_ids: list[int], rewards: GroupRewards) -> dict[str, Any]:
    """Return the sample of a member that has no completion: an end token, with the means of the others' `rewards`.

    It has no advantage, so nothing is learnt from it; only a critic sees it, at the mean of the others.
    """
    end = request.tokenizer.eos_token_id
    if end is None:
        raise JobError("on_partial: score needs a tokenizer with an end token, to stand for a lost completion")
    log_probs = None if request.params.logprobs is None else [0.0]
    end_token = GeneratedCompletion(ids=[end], log_probs=log_probs, text="", truncated=False)
    return engine_sample(request, prompt_ids, end_token, _mean(rewards), member=0)


def _mean(rewards: GroupRewards) -> GroupRewards:
    logs = {name: _mean_known([log[name] for log in rewards.logs]) for name in rewards.logs[0]} | {SCORED: 0.0}
    return GroupRewards(
        kept=(0,),
        values=(rewards.lost,),
        lost=rewards.lost,
        correctness=None if rewards.correctness is None else (fmean(rewards.correctness),),
        logs=(logs,),
    )


def _mean_known(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return fmean(known) if known else math.nan


def fill_missing_logs(samples: Sequence[Any]) -> None:
    """Give each sample of a step that lacks a total or a component the mean of those that have one.

    OpenRLHF's lines and trackers have the mean over all samples, which would be NaN; so it is that of the others. What
    no sample of the step has stays NaN.

    Args:
        samples: OpenRLHF's, one completion each.
    """
    for name in [name for name in samples[0].info if name.startswith(("reward/", "group/"))] if samples else ():
        mean = _mean_known([sample.info[name].item() for sample in samples])
        for sample in samples:
            if math.isnan(sample.info[name].item()):
                sample.info[name].fill_(mean)


def describe_logs(sample: Mapping[str, Any]) -> str:
    """Return in words which scores and logs a sample has; OpenRLHF needs the same in every sample of a run."""
    score = "no score" if sample["scores"] is None else "a score"
    return f"{score} and the logs {', '.join(sorted(sample['extra_logs']))}"
