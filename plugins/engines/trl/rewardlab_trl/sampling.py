"""Sampling completions from a model, for evaluations and as a judge."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from rewardlab import Group, Sample
from rewardlab.text import Progress
from rewardlab_training import PromptFormat, Sampling
from transformers import GenerationConfig

from rewardlab_trl.models import CausalModel
from rewardlab_trl.stop_texts import cut_at_stop, stopping
from rewardlab_trl.turns import Turns

MAX_CONCURRENT = 256  # completions generated in one batch


def sample_groups(
    model: CausalModel,
    prompt_format: PromptFormat,
    samples: Sequence[Sample],
    sampling: Sampling,
    bf16: bool,
    title: str,
    turns: Turns | None = None,
) -> list[Group]:
    """Return a group of completions for each sample.

    The same seed, samples and model give the same completions; the global random state stays as it was.

    Args:
        bf16: whether the model computes in bf16.
        title: the name of the progress bar.
        turns: plays the completions of a stage with an agent.
    """
    at_once = max(1, MAX_CONCURRENT // sampling.count)
    groups: list[Group] = []
    with (
        random_state(model.model, sampling.seed, bf16),
        Progress(title, len(samples), unit="prompt", leave=False) as progress,
    ):
        for start in range(0, len(samples), at_once):
            batch = samples[start : start + at_once]
            groups += _sample_batch(model, prompt_format, batch, sampling, turns)
            progress.update(len(batch))
    return groups


def _sample_batch(
    model: CausalModel,
    prompt_format: PromptFormat,
    samples: Sequence[Sample],
    sampling: Sampling,
    turns: Turns | None,
) -> Iterator[Group]:
    def generate(rows: list[list[int]], most: int) -> list[list[int]]:
        with stopping(model.model, sampling.stop, prompt_format.decode):
            made = generate_rows(model, rows, replace(sampling, max_new_tokens=most))
        return [cut_at_stop(row, sampling.stop, prompt_format.decode) for row in made]

    asked = [sample for sample in samples for _ in range(sampling.count)]
    if turns is not None:
        played = turns.play(asked, generate, sampling.max_new_tokens, sampling.stop)
        completions = [completion.completion() for completion in played]
    else:
        prompts = [prompt_format.text(sample) for sample in asked]
        ids = generate([prompt_format.tokens(prompt) for prompt in prompts], sampling.max_new_tokens)
        completions = prompt_format.completions(prompts, ids)
    for number, sample in enumerate(samples):
        own = completions[number * sampling.count : (number + 1) * sampling.count]
        yield Group(sample=sample, completions=tuple(own))


def generate_rows(model: CausalModel, rows: list[list[int]], sampling: Sampling) -> list[list[int]]:
    """Return the token ids that the model writes after each row, to an end token; to be called in `random_state`."""
    inputs = model.tokenizer.pad({"input_ids": rows}, return_tensors="pt", padding_side="left")
    made = model.model.generate(**inputs.to(model.model.device), generation_config=_config(model, sampling))
    return [_until_end(row, model.ends) for row in made[:, inputs["input_ids"].shape[1] :].tolist()]


def _config(model: CausalModel, sampling: Sampling) -> GenerationConfig:
    temperature = sampling.temperature
    return GenerationConfig(
        max_new_tokens=sampling.max_new_tokens,
        do_sample=temperature > 0,
        temperature=temperature or None,
        top_k=(sampling.top_k or 0) if temperature else None,
        top_p=sampling.top_p if temperature else None,
        min_p=(sampling.min_p or None) if temperature else None,
        repetition_penalty=sampling.repetition_penalty,
        use_cache=True,
        eos_token_id=list(model.ends),
        pad_token_id=model.tokenizer.pad_token_id,
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
