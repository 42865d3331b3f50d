"""Evaluating a policy: sample on held-out prompts, score with the recipe's reward, keep every completion."""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

from rewardlab.backends.trl.prompts import PromptFormat
from rewardlab.backends.trl.stage import StageJob
from rewardlab.composition import ScoredGroup
from rewardlab.recipe import Evaluation
from rewardlab.results import Results, spread, summarise, table
from rewardlab.scoring import Scorer
from rewardlab.types import Completion, Group, Sample

MOST_AT_ONCE = 256  # completions generated in one batch


@dataclass(frozen=True, kw_only=True)
class Evaluator:
    """Evaluations of one stage: `before`, `during` and `after` training, all on the same prompts and seeds."""

    job: StageJob
    settings: Evaluation
    samples: Sequence[Sample]
    temperature: float
    max_new_tokens: int

    def before(self, model: Any, tokenizer: Any, shape: PromptFormat) -> None:
        """Evaluate the untrained policy, unless an earlier attempt of this run has done so."""
        if not self._path("before").exists():
            self._evaluate("before", model, tokenizer, shape, None)

    def during(self, step: int, model: Any, tokenizer: Any, shape: PromptFormat) -> None:
        """Evaluate at a training step."""
        self._evaluate(f"step-{step}", model, tokenizer, shape, step)

    def after(self, model: Any, tokenizer: Any, shape: PromptFormat) -> None:
        """Evaluate the trained policy and print what has changed."""
        results = self._evaluate("after", model, tokenizer, shape, None)
        earlier = Results.load(self._path("before"))
        self.job.say(table(results, earlier))

    def alone(self, model: Any, tokenizer: Any, shape: PromptFormat) -> None:
        """Evaluate for a stage `eval` and print the results."""
        self.job.say(table(self._evaluate(self.settings.benchmark or "results", model, tokenizer, shape, None)))

    def _path(self, when: str) -> Any:
        return self.job.run.folder("evaluation") / f"{self.job.name}-{when}.json"

    def _evaluate(self, when: str, model: Any, tokenizer: Any, shape: PromptFormat, step: int | None) -> Results:
        samples = spread(self.samples, self.settings.prompts, self.settings.by)
        with Scorer(self.job.plan) as scorer:
            scorer.warm()
            groups = generate(
                model,
                tokenizer,
                shape,
                samples,
                count=self.settings.samples,
                temperature=self.temperature,
                max_new_tokens=self.max_new_tokens,
                seed=self.job.plan.recipe.seed,
                what=f"{self.job.name} evaluation ({when})",
            )
            scored = scorer.score_groups(groups)
        self.job.ledger.write(self.job.index, step, scored, trained="no")
        self._keep_rows(when, scored)
        results = summarise(scored, self.settings.by, name=f"{self.job.name} {when}")
        results.save(self._path(when))
        return results

    def _keep_rows(self, when: str, scored: Sequence[ScoredGroup]) -> None:
        """The completions as rows that `rewardlab score` reads."""
        path = self._path(when).with_suffix(".rows.jsonl")
        with path.open("w", encoding="utf-8") as file:
            for group in scored:
                row = {**group.sample.fields, "id": group.sample.id, "prompt": list(map(dict, group.sample.prompt))}
                row["completions"] = [
                    {"text": c.text, "token_count": c.token_count, "truncated": c.truncated} for c in group.completions
                ]
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def generate(
    model: Any,
    tokenizer: Any,
    shape: PromptFormat,
    samples: Sequence[Sample],
    *,
    count: int,
    temperature: float,
    max_new_tokens: int,
    seed: int,
    what: str,
) -> list[Group]:
    """`count` completions for each sample; temperature 0 is greedy. Leaves the global random state as it was."""
    import torch
    from transformers import GenerationConfig

    config = GenerationConfig(
        max_new_tokens=max_new_tokens,
        do_sample=temperature > 0,
        temperature=temperature or None,
        top_k=0 if temperature else None,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=model.generation_config.eos_token_id or tokenizer.eos_token_id,
    )
    ends = {tokenizer.eos_token_id, tokenizer.pad_token_id, *_as_list(config.eos_token_id)}
    at_once = max(1, MOST_AT_ONCE // count)
    groups: list[Group] = []
    with _sampling(model, seed), tqdm(total=len(samples), desc=what, unit="prompt", disable=None, leave=False) as bar:
        for start in range(0, len(samples), at_once):
            batch = samples[start : start + at_once]
            rows = [shape.tokens(sample) for sample in batch for _ in range(count)]
            inputs = tokenizer.pad({"input_ids": rows}, return_tensors="pt", padding_side="left").to(model.device)
            with torch.inference_mode():
                made = model.generate(**inputs, generation_config=config)
            ids = [_until_end(r, ends) for r in made[:, inputs["input_ids"].shape[1] :].tolist()]
            texts = shape.decode(ids)
            for number, sample in enumerate(batch):
                opened = shape.opened(sample)
                completions = tuple(
                    Completion(text=opened + texts[i], token_count=len(ids[i]), truncated=ids[i][-1] not in ends)
                    for i in range(number * count, (number + 1) * count)
                )
                groups.append(Group(sample=sample, completions=completions))
            bar.update(len(batch))
    return groups


def _as_list(value: Any) -> list[int]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _until_end(ids: list[int], ends: set[int]) -> list[int]:
    for position, token in enumerate(ids):
        if token in ends:
            return ids[: position + 1]
    return ids


@contextlib.contextmanager
def _sampling(model: Any, seed: int) -> Iterator[None]:
    """Evaluation mode and a random state of its own, so that evaluating changes nothing in training."""
    import torch

    was_training, use_cache = model.training, model.config.use_cache
    devices: Sequence[Any] = [model.device] if model.device.type == "cuda" else []
    restore: Callable[[], None] = model.train if was_training else model.eval
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        model.eval()
        model.config.use_cache = True
        try:
            yield
        finally:
            restore()
            model.config.use_cache = use_cache
