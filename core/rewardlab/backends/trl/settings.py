"""Trainer settings that every stage shares, and the machine they run on."""

import os
import warnings
from pathlib import Path
from typing import Any

from rewardlab.recipe import Backend, RlStage, SftStage


def prepare_process() -> None:
    """Set what must be set before torch is imported."""
    # libgomp's threads spin while they wait; beside any other process that makes steps 10 to 20 times slower
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")


def quiet_libraries() -> None:
    """No bars and warnings of the engine beside ours; what goes wrong is raised."""
    import datasets
    import transformers

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")


def device(backend: Backend) -> str:
    """The torch device of this run: "cpu" or "cuda"."""
    import torch

    if backend.device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return backend.device


def common(stage: SftStage | RlStage, backend: Backend, seed: int, output: Path, logs: Path) -> dict[str, Any]:
    """Arguments that SFTConfig and GRPOConfig share. TRL's own defaults suit neither a CPU nor a recipe."""
    on_cpu = device(backend) == "cpu"
    return {
        "output_dir": str(output),
        "seed": seed,
        "learning_rate": stage.learning_rate,
        "lr_scheduler_type": stage.schedule,
        "warmup_steps": stage.warmup_steps,
        "weight_decay": stage.weight_decay,
        "adam_beta2": stage.adam_beta2,
        "max_grad_norm": stage.max_grad_norm,
        "use_cpu": on_cpu,
        "bf16": not on_cpu and backend.precision != "fp32",
        "gradient_checkpointing": backend.gradient_checkpointing,
        "dataloader_pin_memory": not on_cpu,
        "report_to": ["tensorboard"] if backend.tensorboard else [],
        "logging_strategy": "steps",
        "disable_tqdm": True,
        "save_total_limit": 2,
        "save_only_model": False,
    }
