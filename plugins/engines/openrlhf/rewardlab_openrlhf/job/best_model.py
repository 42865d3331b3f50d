"""`keep: best`: the checkpoint that a stage's validation likes best takes the place of its last model.

OpenRLHF writes a model that transformers loads beside each checkpoint. Once its job has ended and its GPUs are free,
each of them answers the rows in a process of its own, and this process scores the answers.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rewardlab import Completion, Group, Sample
from rewardlab.errors import JobError
from rewardlab_ray.stage_task import stage_folder
from rewardlab_training import (
    PromptFormat,
    StageJob,
    best_checkpoint,
    load_tokenizer,
    telemetry_variables,
    whole_folder,
)

from rewardlab_openrlhf.job.adapters import merge_adapter
from rewardlab_openrlhf.stage_files import training_stage

SAVED = re.compile(r"global_step(\d+)_hf")
"""the folders of models beside checkpoints, by the step of training"""


def keep_best_model(job: StageJob) -> None:
    """Put the best checkpoint of a stage that has ended in the place of its model, unless that is the best.

    Raises what `best_checkpoint` does, and JobError if a checkpoint gives no answers.
    """
    saved = saved_models(job.run.path / "checkpoints" / job.name)
    if not saved:
        raise JobError(f"{job.where}: OpenRLHF wrote no model beside its checkpoints, so none can be chosen")
    base = job.starting_model()
    models = {step: _whole(folder, base) for step, folder in saved.items()}
    models[_steps(job)] = job.output
    chosen = best_checkpoint(job, models, _GreedyAnswers(job))
    if chosen != job.output:
        _replace(job.output, chosen)


def saved_models(checkpoints: Path) -> dict[int, Path]:
    """Return the models beside a stage's checkpoints: step -> folder."""
    folders = ((SAVED.fullmatch(folder.name), folder) for folder in checkpoints.glob("*_hf"))
    return {int(match[1]): folder for match, folder in folders if match is not None}


def _steps(job: StageJob) -> int:
    """Return how many steps the stage had: its rows were written for each of them."""
    with (stage_folder(job.run.path, job.name) / "rows.jsonl").open("rb") as rows:
        return sum(1 for _ in rows) // training_stage(job.plan, job.index).batch_size


def _whole(folder: Path, base: str) -> Path:
    merge_adapter(folder, base)
    return folder


def _replace(output: Path, chosen: Path) -> None:
    """Put the weights of `chosen` into the stage's model, which keeps its tokenizer and chat template."""
    kept = {path.name for path in output.iterdir()}
    with whole_folder(output.with_name(f"{output.name}.best")) as scratch:
        shutil.copytree(output, scratch, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.safetensors*", "*.bin*"))
        for path in chosen.iterdir():
            if path.suffix in (".safetensors", ".bin") or path.name not in kept:
                shutil.copy2(path, scratch / path.name)
    shutil.rmtree(output)
    output.with_name(f"{output.name}.best").rename(output)


class _GreedyAnswers:
    """The greedy answers of a model: tokens go to a process of its own, and texts come back."""

    def __init__(self, job: StageJob) -> None:
        stage = training_stage(job.plan, job.index)
        assert stage.validation is not None
        self._job, self._longest = job, stage.validation.max_new_tokens
        self._tokenizer = load_tokenizer(str(job.output))
        self._format = PromptFormat(self._tokenizer, stage.chat, ends=(self._tokenizer.eos_token_id,))
        self._say = job.say  # of rows that do not fit, for the first checkpoint alone

    def __call__(self, checkpoint: Path, rows: Sequence[Sample]) -> list[Group]:
        context = json.loads((checkpoint / "config.json").read_text("utf-8")).get("max_position_embeddings")
        where = f"{self._job.where} (validation)"
        fitting = self._format.fitting(rows, context, self._longest, None, where, self._say)
        self._say = _silent
        prompts = [self._format.text(row) for row in fitting]
        made = self._generate(checkpoint, [self._format.tokens(prompt) for prompt in prompts])
        texts = self._format.decode([ids for ids, _ in made])
        return [
            Group(
                sample=row,
                completions=(
                    Completion(text=self._format.opened(prompt) + text, token_count=len(ids), truncated=not ended),
                ),
            )
            for row, prompt, text, (ids, ended) in zip(fitting, prompts, texts, made, strict=True)
        ]

    def _generate(self, checkpoint: Path, prompts: Sequence[Sequence[int]]) -> list[tuple[list[int], bool]]:
        command = [sys.executable, "-m", "rewardlab_openrlhf.job.greedy_answers", str(checkpoint)]
        settings = {"prompts": prompts, "max_new_tokens": self._longest, "pad": self._tokenizer.pad_token_id}
        settings["end"] = self._tokenizer.eos_token_id
        done = subprocess.run(
            command, input=json.dumps(settings), env=os.environ | telemetry_variables(), capture_output=True, text=True
        )
        if done.returncode != 0:
            why = (done.stderr.strip() or "nothing").splitlines()[-1]
            raise JobError(f"{checkpoint} gave no answers for the validation: {why}")
        return [(row["ids"], row["ended"]) for row in json.loads(done.stdout.splitlines()[-1])]


def _silent(line: str) -> None:
    """Print nothing: it has been printed already."""
