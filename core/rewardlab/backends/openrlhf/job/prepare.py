"""Writing what OpenRLHF reads for a stage: tickets and rendered prompts for rl, rendered texts for sft and dpo."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.backends.lengths import fitting_prompts
from rewardlab.backends.openrlhf.job.files import StageFiles
from rewardlab.backends.openrlhf.job.rows import Row, write_rows
from rewardlab.backends.openrlhf.job.task import Task
from rewardlab.backends.prompts import PromptFormat
from rewardlab.backends.stage import reading_order, steps_of
from rewardlab.backends.tokenizers import ends_of, load_tokenizer
from rewardlab.errors import UserError, one_line
from rewardlab.lines import kind_of
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab.results import spread
from rewardlab.types import Sample

SPARE = 2
"""OpenRLHF leaves out rows whose prompt comes as near as this to the limit"""


class Texts:
    """The starting model's tokenizer, and how the stage puts prompts into words."""

    def __init__(self, task: Task):
        self.tokenizer = load_tokenizer(task.model)
        config, generation = _declared(task.model)
        self.format = PromptFormat(self.tokenizer, task.stage.chat, ends_of(self.tokenizer, generation))
        found = getattr(config.get_text_config(), "max_position_embeddings", None)
        self.context = found if found and found > 0 else None

    def length(self, text: str) -> int:
        """Tokens of a text."""
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def prepare(task: Task, texts: Texts) -> StageFiles:
    """Write the stage's files; what cannot be used is left out and said. A UserError where nothing is left."""
    task.folder.mkdir(parents=True, exist_ok=True)
    if isinstance(task.stage, RlStage):
        return _prepare_rl(task, task.stage, texts)
    return _prepare_texts(task, task.stage, texts)


def _prepare_rl(task: Task, stage: RlStage, texts: Texts) -> StageFiles:
    rows = _prompts(task, stage, texts, task.samples(), task.where, stage.max_prompt_tokens)
    steps = steps_of(stage, len(rows))
    order = reading_order(task.plan, [row.sample for row in rows], steps * stage.batch_size)
    write_rows(task.folder / "samples.jsonl", rows)
    (task.folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
    longest = max(texts.length(row.prompt) for row in rows)

    tested: Sequence[Row] = ()
    if stage.evaluation is not None:
        where = f"{task.where} (evaluation)"
        tested = _prompts(task, stage, texts, task.evaluation_samples(), where, None)
        chosen = spread([row.sample for row in tested], stage.evaluation.prompts, stage.evaluation.by)
        by_sample = {id(row.sample): row for row in tested}
        tested = [by_sample[id(sample)] for sample in chosen]
        longest = max(longest, *(texts.length(row.prompt) for row in tested))
    write_rows(task.folder / "evaluation_samples.jsonl", tested)

    files = task.files(steps, len(order), longest, len(tested))
    _write_lines(files.training_rows, (_ticket("ticket", number) for number in range(len(order))))
    if files.evaluation is not None:
        _write_lines(files.evaluation, (_evaluated(number, row.sample) for number, row in enumerate(tested)))
    return files


def _prompts(
    task: Task, stage: RlStage, texts: Texts, samples: Sequence[Sample], where: str, most: int | None
) -> list[Row]:
    """The samples that fit, with the texts that an engine without special tokens reads."""
    shape = texts.format
    kept = fitting_prompts(texts.context, shape, samples, stage.max_new_tokens, most, where, task.say)
    rows = []
    for sample in kept:
        text = shape.text(sample)
        rows.append(Row(sample=sample, prompt=shape.plain(text), opened=shape.opened(text)))
    return rows


def _ticket(what: str, number: int) -> dict[str, Any]:
    """A row in place of a prompt: OpenRLHF shuffles its rows, the recipe says which prompt comes when."""
    return {"input": f"{what} {number}", "label": json.dumps({what: number})}


def _evaluated(number: int, sample: Sample) -> dict[str, Any]:
    return {**_ticket("evaluation", number), "datasource": str(sample.fields.get("language", "default"))}


def _prepare_texts(task: Task, stage: SftStage | DpoStage, texts: Texts) -> StageFiles:
    limit = stage.max_tokens or texts.context
    columns = ("response",) if isinstance(stage, SftStage) else ("chosen", "rejected")
    kept: list[tuple[Sample, dict[str, str], int]] = []
    samples, cut = task.samples(), 0
    for sample in samples:
        line = _line(sample, columns, texts)
        prompt = texts.length(line["prompt"])
        longest = max(texts.length(line["prompt"] + line[column]) for column in columns)
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
    order = reading_order(task.plan, [sample for sample, _, _ in kept], steps * stage.batch_size)
    files = task.files(steps, len(order), max(longest for _, _, longest in kept) + SPARE + 1)
    lines = [kept[row][1] for row in order]
    _write_lines(files.training_rows, map(_engine_columns, _unshuffled(lines, task.plan.recipe.seed)))
    return files


def _line(sample: Sample, columns: Sequence[str], texts: Texts) -> dict[str, str]:
    shape = texts.format
    line = {"prompt": shape.plain(shape.text(sample))}
    for column in columns:
        value = sample.fields.get(column)
        if not isinstance(value, str):
            raise UserError(f"`{column}` should be text, not {kind_of(value)}", where=sample.source or sample.id)
        line[column] = shape.answer_text(sample, value)
    return line


def _engine_columns(line: Mapping[str, str]) -> dict[str, str]:
    if "response" in line:
        return {"input": line["prompt"], "output": line["response"]}
    return dict(line)


def _unshuffled(lines: Sequence[Mapping[str, str]], seed: int) -> list[Mapping[str, str]]:
    """The lines in the order that OpenRLHF's sampler, which shuffles with `seed`, turns into the given one."""
    import torch

    generator = torch.Generator()
    generator.manual_seed(seed)
    placed: list[Mapping[str, str]] = [{}] * len(lines)
    for line, place in zip(lines, torch.randperm(len(lines), generator=generator).tolist(), strict=True):
        placed[place] = line
    return placed


def _declared(model: str) -> tuple[Any, Any]:
    """The model's config, and what it says of generation; its weights are not read."""
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
