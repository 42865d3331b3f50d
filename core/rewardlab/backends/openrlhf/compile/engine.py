"""What all three programs of OpenRLHF take: DeepSpeed, checkpoints, trackers."""

from rewardlab.backends.openrlhf.compile.command import WANDB_KEY, Value
from rewardlab.backends.openrlhf.job.files import StageFiles, TrainingStage
from rewardlab.errors import UserError
from rewardlab.plan import Plan

SPLITS_PATHS = ",@*?[]"
"""OpenRLHF reads a dataset's path as a list, with a folder after @; its loader reads patterns"""


def engine_arguments(plan: Plan, stage: TrainingStage, files: StageFiles) -> dict[str, Value]:
    """Of any stage. The names of DeepSpeed's, checkpoints' and trackers' arguments are the same everywhere."""
    engine, lora = plan.recipe.backend.engine, plan.recipe.backend.engine.lora
    arguments: dict[str, Value] = {
        "train.seed": plan.recipe.seed,
        "ds.param_dtype": "bf16",
        "ds.zero_stage": engine.zero_stage,
        "ds.adam_offload": engine.offload_optimizer,
        "ds.attn_implementation": engine.attention,
        "ds.packing_samples": engine.packing,
        "ds.ring_attn_size": engine.ring_attention if engine.ring_attention > 1 else None,
        "ckpt.output_dir": str(files.output),
        "ckpt.path": str(files.checkpoints),
        "ckpt.save_steps": stage.save_every or -1,
        "ckpt.max_num": engine.keep_checkpoints,
        "ckpt.load_enable": files.resume,
        "logger.wandb.run_name": files.run_name,
    }
    if lora is not None:
        arguments |= {
            "ds.lora.rank": lora.rank,
            "ds.lora.alpha": lora.alpha,
            "ds.lora.dropout": lora.dropout,
            # as an argument it would be a list, in which the word has no meaning; as OpenRLHF's default it has
            "ds.lora.target_modules": None if lora.targets == ["all-linear"] else lora.targets,
        }
    if files.tensorboard is not None:
        arguments["logger.tensorboard_dir"] = str(files.tensorboard)
    if engine.wandb is not None:
        arguments |= {"logger.wandb.key": WANDB_KEY, "logger.wandb.project": engine.wandb}
    return arguments


def dataset_path(path: object) -> str:
    """A file for OpenRLHF's dataset loader. A UserError where it would read the path as something else."""
    text = str(path)
    wrong = next((mark for mark in SPLITS_PATHS if mark in text), None)
    if wrong is not None or "::" in text:
        raise UserError(f"OpenRLHF cannot read files of {text}: {wrong or '::'!r} in a path has a meaning of its own")
    return text
