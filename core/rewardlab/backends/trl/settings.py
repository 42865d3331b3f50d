"""Trainer settings that every stage shares, and the machine they run on."""

import gc
import logging
import os
import warnings
from pathlib import Path
from typing import Any

from rewardlab.backends import telemetry
from rewardlab.errors import UserError
from rewardlab.recipe import Backend, RlStage, SftStage


def prepare_process() -> None:
    """Set what must be set before torch and the engine's libraries are imported."""
    # libgomp's threads spin while they wait; beside any other process that makes steps 10 to 20 times slower
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    os.environ.update(telemetry.variables())


def quiet_libraries() -> None:
    """No bars and warnings of the engine beside ours; what goes wrong is raised."""
    import datasets
    import transformers

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    for name in ("accelerate", "datasets", "trl"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")


def free_memory() -> None:
    """Let go of a stage's model and optimizer: a trainer and what it holds point to each other."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def device(backend: Backend) -> str:
    """The torch device of this run: "cpu" or "cuda". A UserError where the recipe wants what is not here."""
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


def precision(backend: Backend, device: str) -> str:
    """What the policy computes in, "fp32" or "bf16"; its weights are fp32."""
    return backend.precision or ("bf16" if device == "cuda" else "fp32")


def common(stage: SftStage | RlStage, backend: Backend, seed: int, checkpoints: Path, updates: int) -> dict[str, Any]:
    """Arguments that SFTConfig and GRPOConfig share; `updates` is the optimizer's in one step of the recipe.

    TRL's own defaults suit neither a CPU nor a recipe.
    """
    where = device(backend)
    warm_up = stage.schedule == "constant" and stage.warmup_steps
    return {
        "output_dir": str(checkpoints),
        "seed": seed,
        "learning_rate": stage.learning_rate,
        # transformers' "constant" knows no warm-up
        "lr_scheduler_type": "constant_with_warmup" if warm_up else stage.schedule,
        "warmup_steps": stage.warmup_steps * updates,
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
        "save_total_limit": 2,
        "save_only_model": False,
    }


def one_gpu(arguments: Any) -> Any:
    """The trainer's arguments, confined to one GPU: transformers would split each batch over all in sight."""
    if arguments.n_gpu > 1:
        arguments._n_gpu = 1
    return arguments
