"""The arguments that all three programs of OpenRLHF take: DeepSpeed, checkpoints, trackers."""

from rewardlab.errors import UserError
from rewardlab.plan import Plan

from rewardlab_openrlhf.compile.command import WANDB_KEY, Value
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import StageFiles, TrainingStage

KEEP_ALL = 1_000_000
"""checkpoints, or GB of them: OpenRLHF takes numbers"""
SPLITS_PATHS = ",@*?[]"
"""OpenRLHF reads a dataset's path as a list, with a folder after @; its loader reads patterns"""


def engine_arguments(plan: Plan, stage: TrainingStage, files: StageFiles) -> dict[str, Value]:
    """Return the arguments of DeepSpeed, checkpoints and trackers, whose names are the same for every program."""
    engine, lora = options_of(plan).engine, options_of(plan).engine.lora
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
        "ckpt.max_num": engine.keep_checkpoints if stage.keep == "last" else KEEP_ALL,
        "ckpt.max_mem": None if stage.keep == "last" else KEEP_ALL,
        "ckpt.save_hf": True if stage.keep == "best" else None,
        "ckpt.load_enable": files.resume,
        "logger.wandb.run_name": files.run_name,
    }
    if lora is not None:
        arguments |= {
            "ds.lora.rank": lora.rank,
            "ds.lora.alpha": lora.alpha,
            "ds.lora.dropout": lora.dropout,
            # OpenRLHF understands the word "all-linear" as its default only, not in the list that an argument gives
            "ds.lora.target_modules": None if lora.targets == ["all-linear"] else lora.targets,
        }
    if files.tensorboard is not None:
        arguments["logger.tensorboard_dir"] = str(files.tensorboard)
    if engine.wandb is not None:
        arguments |= {"logger.wandb.key": WANDB_KEY, "logger.wandb.project": engine.wandb}
    return arguments


def dataset_path(path: object) -> str:
    """Return a path for OpenRLHF's dataset loader. A UserError if it would read the path as something else."""
    text = str(path)
    wrong = next((mark for mark in SPLITS_PATHS if mark in text), None)
    if wrong is not None or "::" in text:
        raise UserError(f"OpenRLHF cannot read files of {text}: {wrong or '::'!r} in a path has a meaning of its own")
    return text
