"""Checks of this machine before a run that trains on it begins: OpenRLHF, GPUs, and a folder for Ray."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan
from rewardlab.recipe import DataStage, EvalStage, Finding, RlStage

from rewardlab_openrlhf.job.check_nodes import check_version, missing_modules
from rewardlab_openrlhf.layout import layout_of
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import TrainingStage

MAX_SOCKET_LENGTH = 107
"""bytes of a Unix socket's path"""
SOCKET_SUFFIX = len("/ray/session_2026-01-01_00-00-00_000000_4194304/sockets/plasma_store")
"""bytes that Ray adds to its folder's path"""


def check_here(plan: Plan, only: int | None = None) -> None:
    """Raise UserError with every reason why this machine cannot train the stages (or stage `only`)."""
    check_version(plan.document.where(("backend",)))
    stages = [
        stage
        for index, stage in enumerate(plan.recipe.stages)
        if only in (None, index) and not isinstance(stage, DataStage | EvalStage)
    ]
    found = [*_modules(stages), *_gpus(plan, stages), *_settings(plan)]
    if any(isinstance(stage, RlStage) for stage in stages):
        found += _ray_folder()
    if found:
        raise UserError([Problem(where=plan.document.where(path), what=what, path=path) for path, what in found])


def gpus_here() -> int:
    """Return the number of this machine's GPUs, as Ray counts them."""
    resources = json.loads(os.environ.get("RAY_OVERRIDE_RESOURCES") or "{}")
    if "GPU" in resources:
        return int(resources["GPU"])
    import torch

    return torch.cuda.device_count()


def _modules(stages: Sequence[TrainingStage]) -> Iterator[Finding]:
    if missing := missing_modules(any(isinstance(stage, RlStage) for stage in stages)):
        yield ("backend",), f"this environment has no {', '.join(missing)}; docs/cluster.md says how to prepare it"


def _gpus(plan: Plan, stages: Sequence[TrainingStage]) -> Iterator[Finding]:
    backend = options_of(plan)
    layouts = [layout_of(backend, stage) for stage in stages]
    needed = max((layout.gpus - layout.idle + layout.held for layout in layouts), default=0)
    if needed <= (here := gpus_here()):
        return
    if backend.nodes > 1:
        hint = "start it on a Ray cluster: backend.address (docs/cluster.md), or lower backend.nodes"
        yield ("backend", "nodes"), f"{backend.nodes} nodes need {needed} GPUs and this machine has {here}; {hint}"
    else:
        yield ("backend", "gpus_per_node"), f"the recipe needs {needed} GPUs and this machine has {here}"


def _settings(plan: Plan) -> Iterator[Finding]:
    engine = options_of(plan).engine
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
