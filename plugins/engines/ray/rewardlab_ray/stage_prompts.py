"""The prompts of a stage as an engine without chat templates reads them: rendered, those that fit, in order."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import Sample
from rewardlab.errors import UserError, one_line
from rewardlab.recipe import RlStage
from rewardlab_training import PromptFormat, ends_of, load_tokenizer, reading_order, steps_of, stratified_sample

from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.stage_task import StageTask


class StageTokenizer:
    """The starting model's tokenizer with the stage's prompt format.

    `context` is the most tokens of a prompt and its completion; None where the model names no limit. `ends` are the ids
    of the tokens that end a completion.
    """

    def __init__(self, task: StageTask, tools: Sequence[Mapping[str, Any]] = ()) -> None:
        """Load it.

        Args:
            tools: JSON schemas of what the policy may call.
        """
        self.tokenizer = load_tokenizer(task.model)
        config, generation = _load_configs(task.model)
        self.ends = ends_of(self.tokenizer, generation)
        self.format = PromptFormat(self.tokenizer, task.stage.chat, self.ends, tools=tools)
        positions = getattr(config.get_text_config(), "max_position_embeddings", None)
        self.context = positions if positions and positions > 0 else None

    def length(self, text: str) -> int:
        """Return how many tokens a text has."""
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])


@dataclass(frozen=True, kw_only=True)
class StagePrompts:
    """The prompts of an rl stage, which the files samples.jsonl, order.json and evaluation_samples.jsonl hold."""

    steps: int
    training: Sequence[Row]
    order: Sequence[int]
    """the training row of each position, over all steps"""
    evaluation: Sequence[Row]
    longest: int
    """tokens of the longest prompt"""


def write_prompts(task: StageTask, stage: RlStage, tokenizer: StageTokenizer) -> StagePrompts:
    """Write an rl stage's prompts for its actors, and report rows that were left out. UserError if none is left."""
    training = _rows(task, stage, tokenizer, task.samples(), task.where, stage.max_prompt_tokens)
    samples = [row.sample for row in training]
    order = [*range(len(samples))] if task.evaluates else reading_order(task.plan, task.index, samples)
    write_rows(task.folder / "samples.jsonl", training)
    (task.folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
    evaluation: Sequence[Row] = ()
    if stage.evaluation is not None:
        where = f"{task.where} (evaluation)"
        fitting = _rows(task, stage, tokenizer, task.evaluation_samples(), where, None)
        chosen = stratified_sample([row.sample for row in fitting], stage.evaluation.prompts, stage.evaluation.split_by)
        by_sample = {id(row.sample): row for row in fitting}
        evaluation = [by_sample[id(sample)] for sample in chosen]
    write_rows(task.folder / "evaluation_samples.jsonl", evaluation)
    return StagePrompts(
        steps=steps_of(stage, len(training)),
        training=training,
        order=order,
        evaluation=evaluation,
        longest=max(tokenizer.length(row.prompt) for row in (*training, *evaluation)),
    )


def _rows(
    task: StageTask, stage: RlStage, tokenizer: StageTokenizer, samples: Sequence[Sample], where: str, most: int | None
) -> list[Row]:
    """Return the samples that fit, with the texts for an engine that adds no special tokens."""
    prompt_format = tokenizer.format
    kept = prompt_format.fitting(samples, tokenizer.context, stage.max_new_tokens, most, where, task.say)
    rows = []
    for sample in kept:
        text = prompt_format.text(sample)
        rows.append(Row(sample=sample, prompt=prompt_format.plain(text), opened=prompt_format.opened(text)))
    return rows


def _load_configs(model: str) -> tuple[Any, Any]:
    """Return the model's config and its generation config; its weights are not read."""
    from transformers import AutoConfig, GenerationConfig

    try:
        config = AutoConfig.from_pretrained(model)
    except Exception as error:  # transformers raises many kinds; all mean that the model cannot be used
        raise UserError(f"model {model!r} cannot be loaded: {one_line(error)}") from error
    try:
        return config, GenerationConfig.from_pretrained(model)
    except OSError:  # it has none of its own
        return config, GenerationConfig.from_model_config(config)
