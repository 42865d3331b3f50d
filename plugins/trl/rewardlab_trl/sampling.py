"""Sampling completions from the policy, for evaluation."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from rewardlab import Completion, Group, Sample
from rewardlab.text import Progress
from rewardlab.training import PromptFormat
from transformers import GenerationConfig

from rewardlab_trl.models import Policy

MAX_CONCURRENT = 256  # completions generated in one batch


def sample_groups(
    policy: Policy,
    prompt_format: PromptFormat,
    samples: Sequence[Sample],
    *,
    count: int,
    temperature: float,
    top_p: float,
    top_k: int | None,
    max_new_tokens: int,
    seed: int,
    bf16: bool,
    what: str,
) -> list[Group]:
    """Return a group of `count` completions for each sample; temperature 0 is greedy.

    `what` names the bar. The same seed, samples and policy give the same completions; the global random state stays as
    it was.
    """
    config = _config(policy, temperature, top_p, top_k, max_new_tokens)
    at_once = max(1, MAX_CONCURRENT // count)
    groups: list[Group] = []
    with (
        random_state(policy.model, seed, bf16),
        Progress(what, len(samples), unit="prompt", leave=False) as progress,
    ):
        for start in range(0, len(samples), at_once):
            batch = samples[start : start + at_once]
            groups += _sample_batch(policy, prompt_format, batch, count, config)
            progress.update(len(batch))
    return groups


def _sample_batch(
    policy: Policy, prompt_format: PromptFormat, samples: Sequence[Sample], count: int, config: GenerationConfig
) -> Iterator[Group]:
    prompts = [prompt_format.text(sample) for sample in samples]
    rows = [ids for prompt in prompts for ids in [prompt_format.tokens(prompt)] * count]
    ids = _generate(policy, rows, config)
    texts = prompt_format.decode(ids)
    for number, (sample, prompt) in enumerate(zip(samples, prompts, strict=True)):
        opened = prompt_format.opened(prompt)
        completions = tuple(
            Completion(text=opened + texts[i], token_count=len(ids[i]), truncated=ids[i][-1] not in policy.ends)
            for i in range(number * count, (number + 1) * count)
        )
        yield Group(sample=sample, completions=completions)


def generate_rows(
    policy: Policy, rows: list[list[int]], *, temperature: float, top_p: float, top_k: int | None, max_new_tokens: int
) -> list[list[int]]:
    """Return the token ids that the policy writes after each row, to an end token; to be called in `random_state`."""
    return _generate(policy, rows, _config(policy, temperature, top_p, top_k, max_new_tokens))


def _generate(policy: Policy, rows: list[list[int]], config: GenerationConfig) -> list[list[int]]:
    inputs = policy.tokenizer.pad({"input_ids": rows}, return_tensors="pt", padding_side="left")
    made = policy.model.generate(**inputs.to(policy.model.device), generation_config=config)
    return [_until_end(row, policy.ends) for row in made[:, inputs["input_ids"].shape[1] :].tolist()]


def _config(
    policy: Policy, temperature: float, top_p: float, top_k: int | None, max_new_tokens: int
) -> GenerationConfig:
    return GenerationConfig(
        max_new_tokens=max_new_tokens,
        do_sample=temperature > 0,
        temperature=temperature or None,
        top_k=(top_k or 0) if temperature else None,
        top_p=top_p if temperature else None,
        use_cache=True,
        eos_token_id=list(policy.ends),
        pad_token_id=policy.tokenizer.pad_token_id,
    )


def _until_end(ids: list[int], ends: Sequence[int]) -> list[int]:
    for position, token in enumerate(ids):
        if token in ends:
            return ids[: position + 1]
    return ids


@contextlib.contextmanager
def random_state(model: Any, seed: int, bf16: bool) -> Iterator[None]:
    """Set evaluation mode and a random state of its own, so that evaluating changes nothing in training."""
    was_training = model.training
    devices = [model.device] if model.device.type == "cuda" else []
    cast = torch.autocast(model.device.type, dtype=torch.bfloat16, enabled=bf16)
    # not inference mode: a tensor that a model keeps from it (dynamic RoPE) could not be used in training
    with torch.random.fork_rng(devices=devices), torch.no_grad(), cast:
        torch.manual_seed(seed)
        model.eval()
        try:
            yield
        finally:
            model.train(was_training)
