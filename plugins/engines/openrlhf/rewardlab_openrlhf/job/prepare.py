"""Writing the files that OpenRLHF reads for a stage: tickets and prompts for rl, whole texts for sft and dpo."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab import Sample
from rewardlab.data import kind_of
from rewardlab.errors import UserError
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab_ray.rendered_rows import undo_shuffle, write_lines
from rewardlab_ray.stage_prompts import StageTokenizer, write_prompts
from rewardlab_ray.stage_task import StageTask
from rewardlab_training import reading_order, run_name, steps_of

from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import StageFiles

SPARE = 2
"""tokens; OpenRLHF leaves out rows whose prompt comes as near as this to the limit"""


def prepare(task: StageTask, tokenizer: StageTokenizer) -> StageFiles:
    """Write the stage's files and report rows that had to be left out. A UserError if none is left."""
    task.folder.mkdir(parents=True, exist_ok=True)
    if isinstance(task.stage, RlStage):
        return _prepare_rl(task, task.stage, tokenizer)
    return _prepare_sft_dpo(task, task.stage, tokenizer)


def _prepare_rl(task: StageTask, stage: RlStage, tokenizer: StageTokenizer) -> StageFiles:
    prompts = write_prompts(task, stage, tokenizer)
    files = files_of(task, prompts.steps, len(prompts.order), prompts.longest, len(prompts.evaluation))
    write_lines(files.training_rows, (_ticket("ticket", number) for number in range(len(prompts.order))))
    if files.evaluation is not None:
        assert stage.evaluation is not None
        by = stage.evaluation.split_by
        tickets = (_evaluation_ticket(i, row.sample, by) for i, row in enumerate(prompts.evaluation))
        write_lines(files.evaluation, tickets)
    return files


def files_of(task: StageTask, steps: int, rows: int, longest: int, evaluation_rows: int = 0) -> StageFiles:
    """Return the places and sizes of the files that OpenRLHF reads and writes."""
    checkpoints = task.run / "checkpoints" / task.name
    return StageFiles(
        model=task.model,
        folder=task.folder,
        output=task.folder / "model",  # moved to its place when it is whole
        checkpoints=checkpoints,
        tensorboard=task.run / "logs" / "tensorboard" if options_of(task.plan).tensorboard else None,
        run_name=f"{run_name(task.plan)}-{task.name}",
        steps=steps,
        rows=rows,
        longest_prompt=longest,
        evaluation_rows=evaluation_rows,
        resume=task.attempt > 0 and checkpoints.exists(),
    )


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
    files = files_of(task, steps, len(order), max(longest for _, _, longest in kept) + SPARE + 1)
    lines = [kept[row][1] for row in order]
    write_lines(files.training_rows, map(_engine_columns, undo_shuffle(lines, task.plan.recipe.seed)))
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
