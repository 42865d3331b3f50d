"""The trainer settings that every stage shares, and the machine that they run on."""

import gc
import logging
import os
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

from rewardlab.errors import UserError, one_line
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab_training import StageBatches, Training, telemetry_variables, warm_up_steps

from rewardlab_trl.options import Options, options_of
from rewardlab_trl.sharding import allow_on_cpu

if TYPE_CHECKING:
    from trl.trainer.base_config import _BaseConfig

C = TypeVar("C", bound="_BaseConfig")


def prepare_process() -> None:
    """Set what must be set before torch and the engine's libraries are imported."""
    # libgomp's threads spin while they wait, which makes steps 10 to 20 times slower next to any other busy process
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # of several processes each would warn at its first step
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    os.environ.update(telemetry_variables())


def quiet_libraries() -> None:
    """Turn off the engine's own bars and warnings; what goes wrong is raised."""
    import datasets
    import transformers

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    for name in ("accelerate", "bitsandbytes", "datasets", "trl"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
    warnings.filterwarnings("ignore", category=UserWarning, module="peft")


def free_memory() -> None:
    """Free the memory of a stage's model and optimizer, which refer to each other through the trainer."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def device(backend: Options) -> str:
    """Return the torch device of this run, "cpu" or "cuda"; a UserError if this machine lacks the recipe's."""
    import torch

    if backend.device == "cuda" and not torch.cuda.is_available():
        raise UserError("backend.device is cuda, but torch sees no GPU here; use cpu or auto")
    if backend.device == "cpu" or not torch.cuda.is_available():
        if backend.precision == "bf16":
            raise UserError("backend.precision is bf16, which needs a GPU, and torch sees none here; use fp32")
        return "cpu"
    if precision(backend, "cuda") == "bf16" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise UserError("this GPU has no bf16; set backend.precision to fp32")
    return "cuda"


def precision(backend: Options, device: str) -> str:
    """Return the precision in which the policy computes, "fp32" or "bf16"; its weights are fp32."""
    return backend.precision or ("bf16" if device == "cuda" else "fp32")


def shared_arguments(training: Training, processes: int) -> dict[str, Any]:
    """Return what the configs of TRL's trainers share, because TRL's own defaults suit neither CPU nor recipe."""
    stage, steps, plan = training.stage, training.steps, training.job.plan
    batches = StageBatches.of(stage, processes)
    backend = options_of(plan)
    where = device(backend)
    warm_up = warm_up_steps(stage, steps)
    # a step of rl is logged whole; a checkpoint between two of its updates could not be resumed bit for bit
    logged = batches.updates if isinstance(stage, RlStage) else max(1, min(20, steps // 20))
    return {
        "output_dir": str(training.checkpoints),
        "seed": plan.recipe.seed,
        "per_device_train_batch_size": batches.micro,
        "gradient_accumulation_steps": batches.accumulated,
        "max_steps": steps * batches.updates,
        "save_steps": (stage.save_every or steps) * batches.updates,
        "logging_steps": logged,
        "learning_rate": stage.learning_rate,
        # transformers' "constant" has no warm-up
        "lr_scheduler_type": "constant_with_warmup" if stage.schedule == "constant" and warm_up else _schedule(stage),
        "lr_scheduler_kwargs": {"min_lr": stage.min_learning_rate} if stage.min_learning_rate else {},
        "warmup_steps": warm_up * batches.updates,
        "weight_decay": stage.weight_decay,
        "adam_beta2": stage.adam_beta2,
        "max_grad_norm": stage.max_grad_norm,
        "use_cpu": where == "cpu",
        "bf16": precision(backend, where) == "bf16",
        "gradient_checkpointing": backend.gradient_checkpointing,
        "dataloader_pin_memory": where != "cpu",
        "report_to": [],
        "logging_strategy": "steps",
        "logging_nan_inf_filter": False,
        "disable_tqdm": True,
        "save_strategy": "steps",
        "save_total_limit": 2 if stage.keep == "last" else None,
        "save_only_model": False,
    }


def configuration(kind: type[C], training: Training, **arguments: Any) -> C:
    """Return a trainer's configuration of this kind: `arguments`, and over them what the stage's own `arguments` say.

    Raises UserError if TRL does not take these.
    """
    given = training.stage.arguments
    try:
        made = kind(**{**arguments, **given})
    except (TypeError, ValueError, ImportError) as error:
        if not given:
            raise
        raise UserError(
            f"TRL does not take them: {one_line(error)}", where=f"{training.job.where}.arguments"
        ) from error
    allow_on_cpu(made)
    if made.n_gpu > 1:  # transformers would split each batch over all GPUs in sight
        made._n_gpu = 1
    return made


def _schedule(stage: SftStage | DpoStage | RlStage) -> str:
    return "cosine_with_min_lr" if stage.min_learning_rate else stage.schedule
