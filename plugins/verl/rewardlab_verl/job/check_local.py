"""Checks of this machine before a run that trains on it begins: verl, GPUs, the rollout engine, Megatron."""

import json
import os
from collections.abc import Iterator
from importlib.util import find_spec

from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan
from rewardlab.recipe import Finding, RlStage

from rewardlab_verl.engine_version import what_is_wrong
from rewardlab_verl.options import options_of

ENGINES = {"vllm": "vllm", "sglang": "sglang"}
MEGATRON = "megatron.core"


def check_here(plan: Plan, only: int | None = None) -> None:
    """Raise UserError with every reason why this machine cannot train the stages (or stage `only`)."""
    if wrong := what_is_wrong():
        raise UserError(wrong, where=plan.document.where(("backend",)))
    stages = [stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)]
    found = [*_modules(plan, any(isinstance(stage, RlStage) for stage in stages)), *_gpus(plan)]
    if found:
        raise UserError([Problem(where=plan.document.where(path), what=what, path=path) for path, what in found])


def _modules(plan: Plan, samples: bool) -> Iterator[Finding]:
    engine = options_of(plan).engine
    if samples and engine.rollout in ENGINES and find_spec(ENGINES[engine.rollout]) is None:
        yield ("backend", "engine", "rollout"), f"{engine.rollout} is not installed here; `rewardlab env create verl`"
    if engine.strategy == "megatron" and not _has_megatron():
        yield (
            ("backend", "engine", "strategy"),
            "megatron.core is not installed here; pip install megatron-core megatron-bridge, or strategy: fsdp2",
        )
    if engine.wandb is not None and not os.environ.get("WANDB_API_KEY"):
        yield ("backend", "engine", "wandb"), "needs WANDB_API_KEY, which is not set in this environment"


def _has_megatron() -> bool:
    return find_spec("megatron") is not None and find_spec(MEGATRON) is not None


def _gpus(plan: Plan) -> Iterator[Finding]:
    backend = options_of(plan)
    if backend.nodes > 1:
        yield ("backend", "nodes"), f"{backend.nodes} nodes: this version starts verl on one machine alone"
    elif backend.gpus > (here := gpus_here()):
        yield ("backend", "gpus_per_node"), f"the recipe needs {backend.gpus} GPUs and this machine has {here}"


def gpus_here() -> int:
    """Return the number of this machine's GPUs, as Ray counts them."""
    resources = json.loads(os.environ.get("RAY_OVERRIDE_RESOURCES") or "{}")
    if "GPU" in resources:
        return int(resources["GPU"])
    import torch

    return torch.cuda.device_count()
