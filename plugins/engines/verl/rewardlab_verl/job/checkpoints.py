"""The checkpoints of a stage: how far it is, and the model that it leaves."""

import shutil
from pathlib import Path

from rewardlab.errors import JobError
from rewardlab_ray.job.stage_driver import hand_on
from rewardlab_ray.stage_prompts import StageTokenizer
from rewardlab_ray.stage_task import StageTask

from rewardlab_verl.job.adapters import merge_adapters
from rewardlab_verl.job.merged_shards import SHARDED, write_model
from rewardlab_verl.options import options_of

LATEST = "latest_checkpointed_iteration.txt"
"""verl's note of the newest step that has a whole checkpoint"""


def newest_step(checkpoints: Path) -> int:
    """Return the training step of a stage's newest checkpoint; 0 without one."""
    try:
        return int((checkpoints / LATEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return 0


def keep_model(task: StageTask, steps: int, tokenizer: StageTokenizer) -> None:
    """Put the model of the last step's checkpoint into its place. JobError if there is none."""
    checkpoints = task.run / "checkpoints" / task.name
    folder = checkpoints / f"global_step_{steps}"
    parts = [folder / "actor" / "huggingface", folder / "huggingface"]
    written = next((part for part in parts if any(part.glob("*.safetensors"))), None)
    sharded = next((part.parent for part in parts if (part.parent / SHARDED).exists()), None)
    scratch = task.folder / "model"
    shutil.rmtree(scratch, ignore_errors=True)
    if newest_step(checkpoints) != steps or (written is None and sharded is None):
        raise JobError(f"stage {task.name}: verl ended without a model of its last step, {steps}, in {checkpoints}")
    if written is not None:
        shutil.copytree(written, scratch)  # a copy: the checkpoint stays whole
    elif sharded is not None:
        write_model(sharded, scratch)
    if (lora := options_of(task.plan).engine.lora) is not None:
        merge_adapters(scratch, lora.alpha / lora.rank)
    hand_on(task, scratch, tokenizer)
