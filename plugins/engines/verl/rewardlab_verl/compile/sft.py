"""The settings of an sft stage for verl.trainer.sft_trainer, which reads token ids that were made here."""

from rewardlab.plan import Plan
from rewardlab.recipe import SftStage

from rewardlab_verl.compile.batches import sft_batches
from rewardlab_verl.compile.command import Value
from rewardlab_verl.compile.stage_files import VerlFiles
from rewardlab_verl.compile.trainer import (
    model_settings,
    optimizer_settings,
    run_settings,
    saved_parts,
    sharding_settings,
    warmup_of,
)
from rewardlab_verl.options import options_of

DATASET = "pkg://rewardlab_verl.sft_rows"


def sft_settings(plan: Plan, stage: SftStage, files: VerlFiles) -> dict[str, Value]:
    """Return every setting of the stage."""
    megatron = options_of(plan).engine.strategy == "megatron"
    settings: dict[str, Value] = {"engine": "megatron", "optim": "megatron"} if megatron else {}
    return settings | {
        "data.train_files": str(files.rows),
        "data.custom_cls.path": DATASET,
        "data.custom_cls.name": "TokenRows",
        "data.num_workers": 0,
        **sft_batches(plan, stage, files.longest),
        **optimizer_settings(plan, stage, "optim", stage.learning_rate, warmup_of(stage, files)),
        **model_settings(plan, files, "model"),
        **sharding_settings(plan, "engine"),
        **run_settings(plan, stage, files),
        "checkpoint.save_contents": saved_parts(plan),
        "trainer.seed": plan.recipe.seed,
        "trainer.max_ckpt_to_keep": options_of(plan).engine.keep_checkpoints,
    }
