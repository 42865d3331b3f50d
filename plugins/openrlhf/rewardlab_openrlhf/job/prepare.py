"""Writing the files that OpenRLHF reads for a stage: tickets and prompts for rl, whole texts for sft and dpo."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab import Sample
from rewardlab.data import kind_of, stratified_sample
from rewardlab.errors import UserError, one_line
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab.training import PromptFormat, ends_of, load_tokenizer, reading_order, steps_of
from rewardlab_ray.rendered_rows import Row, write_rows

from rewardlab_openrlhf.job.task import StageTask
from rewardlab_openrlhf.stage_files import StageFiles

SPARE = 2
"""tokens; OpenRLHF leaves out rows whose prompt comes as near as this to the limit"""


class StageTokenizer:
    """The starting model's tokenizer with the stage's prompt format.

    `context` is the most tokens of a prompt and its completion; None where the model names no limit.
    """

    def __init__(self, task: StageTask) -> None:
        self.tokenizer = load_tokenizer(task.model)
        config, generation = _load_configs(task.model)
        self.format = PromptFormat(self.tokenizer, task.stage.chat, ends_of(self.tokenizer, generation))
        found = getattr(config.get_text_config(), "max_position_embeddings", None)
        self.context = found if found and found > 0 else None

    def length(self, text: str) -> int:
        """Return how many tokens a text has."""
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def prepare(task: StageTask, tokenizer: StageTokenizer) -> StageFiles:
    """Write the stage's files and report rows that had to be left out. A UserError where none is left."""
    task.folder.mkdir(parents=True, exist_ok=True)
    if isinstance(task.stage, RlStage):
        return _prepare_rl(task, task.stage, tokenizer)
    return _prepare_sft_dpo(task, task.stage, tokenizer)


def _prepare_rl(task: StageTask, stage: RlStage, tokenizer: StageTokenizer) -> StageFiles:
    rows = _prompt_rows(task, stage, tokenizer, task.samples(), task.where, stage.max_prompt_tokens)
    steps = steps_of(stage, len(rows))
    order = reading_order(task.plan, task.index, [row.sample for row in rows])
    write_rows(task.folder / "samples.jsonl", rows)
    (task.folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
    longest = max(tokenizer.length(row.prompt) for row in rows)

    evaluation: Sequence[Row] = ()
    if stage.evaluation is not None:
        where = f"{task.where} (evaluation)"
        evaluation = _prompt_rows(task, stage, tokenizer, task.evaluation_samples(), where, None)
        chosen = stratified_sample(
            [row.sample for row in evaluation], stage.evaluation.prompts, stage.evaluation.split_by
        )
        by_sample = {id(row.sample): row for row in evaluation}
        evaluation = [by_sample[id(sample)] for sample in chosen]
        longest = max(longest, *(tokenizer.length(row.prompt) for row in evaluation))
    write_rows(task.folder / "evaluation_samples.jsonl", evaluation)

    files = task.files(steps, len(order), longest, len(evaluation))
    _write_lines(files.training_rows, (_ticket("ticket", number) for number in range(len(order))))
    if files.evaluation is not None:
        assert stage.evaluation is not None
        by = stage.evaluation.split_by
        _write_lines(files.evaluation, (_evaluation_ticket(i, row.sample, by) for i, row in enumerate(evaluation)))
    return files


def _prompt_rows(
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


def _ticket(kind: str, number: int) -> dict[str, Any]:
    """Return a row in place of a prompt: OpenRLHF shuffles its rows, the recipe says which prompt comes when."""
    return {"input": f"{kind} {number}", "label": json.dumps({kind: number})}


def _evaluation_ticket(number: int, sample: Sample, by: Sequence[str]) -> dict[str, Any]:
    """Return a row to evaluate on; OpenRLHF logs a pass rate for each `datasource`."""
    values = [str(sample.fields[field]) for field in by if field in sample.fields]
    return {**_ticket("evaluation", number), "datasource": " ".join(values) or "default"}


def _prepare_sft_dpo(task: StageTask, stage: SftStage | DpoStage, tokenizer: StageTokenizer) -> StageFiles:
    limit = stage.max_tokens or tokenizer.context
    columns = ("response",) if isinstance(stage, SftStage) else ("chosen", "rejected")
    kept: list[tuple[Sample, dict[str, str], int]] = []
    samples, cut = task.samples(), 0
    for sample in samples:
        line = _rendered_texts(sample, columns, tokenizer)
        prompt = tokenizer.length(line["prompt"])
        longest = max(tokenizer.length(line["prompt"] + line[column]) for column in columns)
        if limit is not None and (prompt >= limit - SPARE or (longest > limit and stage.max_tokens is None)):
            continue
        cut += limit is not None and longest > limit
        kept.append((sample, line, longest))
    if not kept:
        raise UserError(f"none of the {len(samples)} rows fits into {limit} tokens", where=task.where)
    if cut:
        task.say(f"cut {cut} of {len(samples)} rows at max_tokens, {limit}")
    if left_out := len(samples) - len(kept):
        task.say(f"left out {left_out} of {len(samples)} rows without room for the response in {limit} tokens")
    steps = steps_of(stage, len(kept))
    order = reading_order(task.plan, task.index, [sample for sample, _, _ in kept])
    files = task.files(steps, len(order), max(longest for _, _, longest in kept) + SPARE + 1)
    lines = [kept[row][1] for row in order]
    _write_lines(files.training_rows, map(_engine_columns, _undo_shuffle(lines, task.plan.recipe.seed)))
    return files


def _rendered_texts(sample: Sample, columns: Sequence[str], tokenizer: StageTokenizer) -> dict[str, str]:
    prompt_format = tokenizer.format
    line = {"prompt": prompt_format.plain(prompt_format.text(sample))}
    for column in columns:
        value = sample.fields.get(column)
        if not isinstance(value, str):
            raise UserError(f"`{column}` should be text, not {kind_of(value)}", where=sample.source or sample.id)
        line[column] = prompt_format.answer_text(sample, value)
    return line


def _engine_columns(line: Mapping[str, str]) -> dict[str, str]:
    if "response" in line:
        return {"input": line["prompt"], "output": line["response"]}
    return dict(line)


def _undo_shuffle(lines: Sequence[Mapping[str, str]], seed: int) -> list[Mapping[str, str]]:
    """Return the lines in the order that OpenRLHF's sampler, which shuffles with `seed`, turns into the given one."""
    import torch

    generator = torch.Generator()
    generator.manual_seed(seed)
    placed: list[Mapping[str, str]] = [{}] * len(lines)
    for line, place in zip(lines, torch.randperm(len(lines), generator=generator).tolist(), strict=True):
        placed[place] = line
    return placed


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


def _write_lines(path: Path, lines: Iterator[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(f"{json.dumps(line)}\n")
