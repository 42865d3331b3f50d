"""The settings that both programs of verl take: model, optimizer, how ranks share them, checkpoints, trackers."""

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage, SftStage
from rewardlab_training import warm_up_steps

from rewardlab_verl.compile.command import Value
from rewardlab_verl.compile.stage_files import STEPS, VerlFiles
from rewardlab_verl.options import options_of

DTYPES = {"bf16": "bfloat16", "fp32": "float32"}


def model_settings(plan: Plan, files: VerlFiles, prefix: str) -> dict[str, Value]:
    """Return the settings of the model that `prefix` names, such as "actor_rollout_ref.model"."""
    backend = options_of(plan)
    engine = backend.engine
    settings: dict[str, Value] = {
        f"{prefix}.path": files.model,
        f"{prefix}.enable_gradient_checkpointing": backend.gradient_checkpointing,
        f"{prefix}.use_remove_padding": engine.packing,
        f"+{prefix}.override_config.attn_implementation": engine.attention,
    }
    if engine.lora is not None:
        targets = engine.lora.targets
        settings |= {
            f"{prefix}.lora_rank": engine.lora.rank,
            f"{prefix}.lora_alpha": engine.lora.alpha,
            f"{prefix}.target_modules": "all-linear" if targets == ["all-linear"] else targets,
        }
    return settings


def sharding_settings(plan: Plan, prefix: str) -> dict[str, Value]:
    """Return how the trainer's ranks share a model; prefix: of its engine, such as "engine"."""
    backend = options_of(plan)
    engine, seed = backend.engine, plan.recipe.seed
    settings: dict[str, Value] = {
        f"{prefix}.param_offload": engine.offload_parameters,
        f"{prefix}.optimizer_offload": engine.offload_optimizer,
        f"{prefix}.seed": seed,
    }
    if engine.strategy == "megatron":
        shares = engine.megatron
        return settings | {
            f"{prefix}.tensor_model_parallel_size": shares.tensor_parallel,
            f"{prefix}.pipeline_model_parallel_size": shares.pipeline_parallel,
            f"{prefix}.context_parallel_size": shares.context_parallel,
            f"{prefix}.dtype": DTYPES[backend.precision],
        }
    return settings | {
        f"{prefix}.strategy": "fsdp2",
        f"{prefix}.ulysses_sequence_parallel_size": engine.sequence_parallel,
        f"{prefix}.model_dtype": "fp32",
        f"+{prefix}.mixed_precision.param_dtype": backend.precision,  # its `dtype` is read with Megatron alone
    }


def optimizer_settings(
    plan: Plan, stage: RlStage | SftStage, prefix: str, rate: float, warmup: int | str
) -> dict[str, Value]:
    """Return AdamW and its rate, which verl sets once a step; warmup: in steps."""
    floor = rate * stage.min_learning_rate / stage.learning_rate
    settings: dict[str, Value] = {
        f"{prefix}.lr": rate,
        f"{prefix}.betas": [0.9, stage.adam_beta2],
        f"{prefix}.weight_decay": stage.weight_decay,
        f"{prefix}.lr_warmup_steps": warmup,
        f"{prefix}.clip_grad": stage.max_grad_norm,
    }
    if options_of(plan).engine.strategy == "megatron":
        return settings | {f"{prefix}.lr_decay_style": stage.schedule, f"{prefix}.min_lr": floor}
    return settings | {f"{prefix}.lr_scheduler_type": stage.schedule, f"{prefix}.min_lr_ratio": floor / rate}


def warmup_of(stage: RlStage | SftStage, files: VerlFiles) -> int | str:
    """Return over how many steps the rate rises; verl takes 0 for "by a share", so that none is -1."""
    if files.steps is None and stage.warmup_ratio is not None:
        return f"{stage.warmup_ratio:g}*{STEPS}"
    return warm_up_steps(stage, files.steps or 0) or -1


def saved_parts(plan: Plan) -> list[str]:
    """Return what a checkpoint holds: what a resume needs, and the model as transformers reads it where it is wanted.

    The last step's model is put together from its shards (job/merged_shards.py), which only fsdp2's can be.
    """
    engine = options_of(plan).engine
    whole = engine.checkpoint_models or engine.strategy == "megatron"
    return ["model", "optimizer", "extra", *(["hf_model"] if whole else [])]


def run_settings(plan: Plan, stage: RlStage | SftStage, files: VerlFiles) -> dict[str, Value]:
    """Return the settings of steps, checkpoints and trackers."""
    backend = options_of(plan)
    steps: int | str = STEPS if files.steps is None else files.steps
    loggers = ["console", "file"]
    loggers += ["tensorboard"] if backend.tensorboard else []
    loggers += ["wandb"] if backend.engine.wandb else []
    return {
        "trainer.total_epochs": 1,  # the rows are those of all steps, in order
        "trainer.total_training_steps": steps,
        "trainer.save_freq": stage.save_every or steps,
        "trainer.default_local_dir": str(files.checkpoints),
        "trainer.resume_mode": "auto" if files.resume else "disable",
        "trainer.nnodes": backend.nodes,
        "trainer.n_gpus_per_node": backend.gpus_per_node,
        "trainer.logger": loggers,
        "trainer.project_name": backend.engine.wandb or "rewardlab",
        "trainer.experiment_name": files.run_name,
        "hydra.run.dir": str(files.folder),
        "hydra.output_subdir": None,
    }
