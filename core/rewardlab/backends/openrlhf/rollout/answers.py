"""What OpenRLHF gets for one member of a group."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rewardlab.backends.openrlhf.rollout.completions import Generated
from rewardlab.backends.openrlhf.scoring.messages import Rewards
from rewardlab.errors import JobError


@dataclass(frozen=True, kw_only=True)
class Call:
    """What OpenRLHF passes to `execute`, the same for every member of a group."""

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


def answer(call: Call, prompt_ids: list[int], made: Generated, rewards: Rewards, member: int) -> dict[str, Any]:
    """The completion `made` with what `rewards` says of `member`, as OpenRLHF's own executors return it."""
    return {
        "prompt": call.prompt,
        "label": call.label,
        "images": call.images,
        "mm_train_inputs": None,
        "observation_tokens": prompt_ids + made.ids,
        "action_ranges": [(len(prompt_ids), len(prompt_ids) + len(made.ids))],
        "rollout_log_probs": None if made.log_probs is None else [0.0] * len(prompt_ids) + made.log_probs,
        "truncated": made.truncated,
        "reward": float(rewards.shaped[member]),
        "scores": None if rewards.correctness is None else float(rewards.correctness[member]),
        "extra_logs": {name: float(value) for name, value in rewards.logs[member].items()},
    }


def for_the_lost(call: Call, prompt_ids: list[int], rewards: Rewards) -> dict[str, Any]:
    """For a member that has no completion: an end token alone, and the means of the others in `rewards`.

    A reward at the group's mean has no advantage, so nothing is learnt from it.
    """
    end = call.tokenizer.eos_token_id
    if end is None:
        raise JobError("on_partial: mean needs a tokenizer with an end token, to stand for a lost completion")
    log_probs = None if call.params.logprobs is None else [0.0]
    nothing = Generated(ids=[end], log_probs=log_probs, text="", truncated=False)
    return answer(call, prompt_ids, nothing, _mean(rewards), member=0)


def _mean(rewards: Rewards) -> Rewards:
    logs = {name: _mean_known([one[name] for one in rewards.logs]) for name in rewards.logs[0]}
    return Rewards(
        kept=(0,),
        shaped=(fmean(rewards.shaped),),
        correctness=None if rewards.correctness is None else (fmean(rewards.correctness),),
        logs=(logs,),
    )


def _mean_known(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return fmean(known) if known else math.nan


def shape(given: Mapping[str, Any]) -> str:
    """What OpenRLHF needs to be the same in every answer of a run, in words."""
    score = "no score" if given["scores"] is None else "a score"
    return f"{score} and the logs {', '.join(sorted(given['extra_logs']))}"
