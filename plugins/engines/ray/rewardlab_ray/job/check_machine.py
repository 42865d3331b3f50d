"""Checks of this machine before a run that trains on it begins: the engine, GPUs, and a folder for Ray."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rewardlab.errors import Problem, UserError
from rewardlab.files import expanded
from rewardlab.plan import Plan
from rewardlab.recipe import Finding, RlStage, needs_engine

from rewardlab_ray.job.engine import RayEngine, missing_modules
from rewardlab_ray.job_options import job_options
from rewardlab_ray.stage_task import TrainingStage, engine_stage

MAX_SOCKET_LENGTH = 107
"""bytes of a Unix socket's path"""
SOCKET_SUFFIX = len("/ray/session_2026-01-01_00-00-00_000000_4194304/sockets/plasma_store")
"""bytes that Ray adds to its folder's path"""


def check_machine(engine: RayEngine, plan: Plan, only: int | None = None) -> None:
    """Raise UserError with every reason why this machine cannot train the stages (or stage `only`)."""
    check_version(engine, plan.document.where(("backend",)))
    stages = [
        engine_stage(stage)
        for index, stage in enumerate(plan.recipe.stages)
        if only in (None, index) and needs_engine(stage)
    ]
    samples = any(isinstance(stage, RlStage) for stage in stages)
    findings = [*_modules(engine, plan, samples), *_gpus(engine, plan, stages), *_settings(plan)]
    if samples:
        findings += [*_model(plan), *_ray_folder()]
    if findings:
        raise UserError(
            [Problem(where=plan.document.where(path), what=problem, path=path) for path, problem in findings]
        )


def check_version(engine: RayEngine, where: str) -> None:
    """Raise UserError if this environment lacks the engine, or has another version than its plugin compiles for."""
    if wrong := engine.what_is_wrong():
        raise UserError(wrong, where=where)


def gpus_here() -> int:
    """Return the number of this machine's GPUs, as Ray counts them."""
    resources = json.loads(os.environ.get("RAY_OVERRIDE_RESOURCES") or "{}")
    if "GPU" in resources:
        return int(resources["GPU"])
    import torch

    return torch.cuda.device_count()


def _modules(engine: RayEngine, plan: Plan, samples: bool) -> Iterator[Finding]:
    wanted = engine.modules(plan, samples)
    missing = missing_modules([*wanted])
    for advice in dict.fromkeys(wanted[name] for name in missing):
        names = ", ".join(name for name in missing if wanted[name] == advice)
        yield ("backend",), f"this environment has no {names}; {advice}"


def _model(plan: Plan) -> Iterator[Finding]:
    """Yield why no rollout engine serves the recipe's model, if its configuration is on this machine."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    model = plan.recipe.model
    if not isinstance(model, str):
        return
    try:
        kind = AutoConfig.from_pretrained(str(expanded(model)), local_files_only=True).model_type
    except (OSError, ValueError):  # it is on the hub alone, or has code of its own
        return
    if kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        yield ("model",), f"a {kind} is no causal language model, which rollout engines serve, such as a llama or qwen3"


def _gpus(engine: RayEngine, plan: Plan, stages: Sequence[TrainingStage]) -> Iterator[Finding]:
    nodes = job_options(plan).nodes
    needed = max((engine.gpus(plan, stage) for stage in stages), default=0)
    if needed <= (here := gpus_here()):
        return
    if nodes > 1:
        hint = "start it on a Ray cluster: backend.address (docs/cluster.md), or lower backend.nodes"
        yield ("backend", "nodes"), f"{nodes} nodes need {needed} GPUs and this machine has {here}; {hint}"
    else:
        yield ("backend", "gpus_per_node"), f"the recipe needs {needed} GPUs and this machine has {here}"


def _settings(plan: Plan) -> Iterator[Finding]:
    engine = job_options(plan).engine
    if engine.storage is not None:
        yield (
            ("backend", "engine", "storage"),
            "is for a Ray cluster, and no backend.address (or RAY_ADDRESS) names one; leave it out to train here, "
            "with all files in the run directory",
        )
    if engine.wandb is not None and not os.environ.get("WANDB_API_KEY"):
        yield ("backend", "engine", "wandb"), "needs WANDB_API_KEY, which is not set in this environment"


def _ray_folder() -> Iterator[Finding]:
    """Yield what is wrong with the folder of the local Ray's sockets, whose paths must be short."""
    name = next((name for name in ("RAY_TMPDIR", "TMPDIR") if os.environ.get(name)), None)
    folder = Path(os.environ[name] if name else "/tmp")
    place = f"Ray's folder is {folder}{f' ({name})' if name else ''}"
    most = MAX_SOCKET_LENGTH - SOCKET_SUFFIX
    if len(os.fsencode(folder)) > most:
        yield ("backend",), f"{place}, too long for its sockets; set RAY_TMPDIR to one of at most {most} bytes"
    elif not os.access(next(path for path in (folder, *folder.parents) if path.exists()), os.W_OK | os.X_OK):
        yield ("backend",), f"{place}, where nothing can be written; set RAY_TMPDIR to another"
