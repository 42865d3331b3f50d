"""The training of a stage in the cluster: OpenRLHF's loop beside the actors that score, or its ranks."""

import os
import runpy
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from rewardlab.errors import JobError
from rewardlab.recipe import RlStage, TokenSampling
from rewardlab_ray.job.ranks import train_on_ranks
from rewardlab_ray.job.scored_training import scored_training
from rewardlab_ray.scoring.service import ServiceSettings
from rewardlab_ray.stage_task import StageTask
from rewardlab_training import judges_itself, whitening, whitens

from rewardlab_openrlhf.compile import Command, evaluation_temperature
from rewardlab_openrlhf.job.checkpoint import StageProgress, checkpoint_progress
from rewardlab_openrlhf.job.engine import ENGINE
from rewardlab_openrlhf.layout import layout_of, split_size
from rewardlab_openrlhf.options import Options, options_of, service_options
from rewardlab_openrlhf.stage_files import StageFiles

STUB = '''"""The executor that OpenRLHF's rollout engines load in stage {name}; made by rewardlab."""

from rewardlab_openrlhf.rollout.executor import GroupExecutor


class AgentExecutor(GroupExecutor):
    job = {job!r}
    settings = {settings!r}
'''


def reinforce(task: StageTask, files: StageFiles, command: Command) -> None:
    """Run the whole stage. Raises JobError with the first reason why it had to end."""
    arguments = command.with_secrets(os.environ.get("WANDB_API_KEY"))
    backend = options_of(task.plan)
    assert isinstance(task.stage, RlStage)
    settings = executor_settings(backend, task.stage, judges_itself(task.plan))
    files.agent.write_text(STUB.format(name=task.name, job=task.job, settings=settings), encoding="utf-8")
    with scored_training(
        ENGINE, task, _service_settings(task, files), _variables(), split_size(backend), _import_engine
    ) as service:
        _start_engine(task, command.module, arguments)
        open_step = service.open_step()
    if open_step is not None:  # else a training that ended well has ended well
        check_last_step(task, open_step)


def train_without_rewards(task: StageTask, command: Command) -> None:
    """Run a stage sft or dpo. Raises JobError if a process of it fails."""
    assert command.ranks is not None
    arguments = command.with_secrets(os.environ.get("WANDB_API_KEY"))
    nodes = layout_of(options_of(task.plan), task.stage).nodes
    train_on_ranks(ENGINE, task, command.module, arguments, (nodes, command.ranks // nodes), _variables())


def check_last_step(task: StageTask, open_step: tuple[int, int]) -> None:
    """Say where the last groups were too few to be trained on; a JobError if there are no others.

    OpenRLHF makes no update of fewer completions than an update has, and ends well with what it has, if it is the
    weights that it began with.

    Args:
        open_step: what Service.open_step returns.
    """
    stage, (step, groups) = task.stage, open_step
    assert isinstance(stage, RlStage)
    update = stage.batch_size * stage.group_size // stage.updates_per_batch
    completions = groups * stage.group_size
    if step == 1 and completions < update:
        kept = f"all groups but {groups}, which are less than an update," if groups else "every group,"
        raise JobError(
            f"stage {task.name}: reward.teach left out {kept} so nothing was trained; look at `left_out` of its "
            "groups in the ledger, and take other rows, or larger groups"
        )
    if completions % update:
        task.say(
            f"step {step} had {groups} of {stage.batch_size} groups when the prompts ran out; OpenRLHF makes no update "
            f"of fewer than {update} completions, so the last {completions % update} taught nothing, though the ledger "
            "has them with trained: yes"
        )


def executor_settings(backend: Options, stage: RlStage, policy_judge: bool) -> dict[str, Any]:
    """Return the settings of the stage's GroupExecutor: plain data, which are written into a file."""
    return {
        **backend.engine.barrier.model_dump(),
        "scorers": backend.scorers.replicas,
        "chat_template": stage.chat.template,
        "sampling": _drawn(stage),
        "evaluation_sampling": _drawn(stage.evaluation_sampling),
        "generates_ahead": backend.engine.generates_ahead(stage.batch_size),
        "evaluation_before": _evaluation_before(stage),
        "policy_judge": policy_judge,
    }


def _drawn(sampling: TokenSampling) -> dict[str, Any]:
    """Return how tokens are drawn, as plain data."""
    return {name: getattr(sampling, name) for name in TokenSampling.model_fields}


def _evaluation_before(stage: RlStage) -> dict[str, Any] | None:
    """Return how the policy is sampled before the first step; None if it is not."""
    if stage.evaluation is None or not stage.eval_before:
        return None
    return {"samples": stage.evaluation.samples, "temperature": evaluation_temperature(stage)}


def _import_engine() -> None:
    """Begin to import what OpenRLHF's module imports, while nodes are looked at and the actors that score start.

    That takes seconds, and so do these. An error comes again if the module is run.
    """

    def imports() -> None:
        with suppress(Exception):
            import_module("openrlhf.trainer.ppo_trainer")
            import_module("openrlhf.trainer.ray.ppo_critic")

    threading.Thread(target=imports, name="rewardlab-import-engine", daemon=True).start()


def _start_engine(task: StageTask, module: str, arguments: Sequence[str]) -> None:
    """Run OpenRLHF's own module in this process, as `python -m` would."""
    from rewardlab_openrlhf.job import engine_trainer

    assert isinstance(task.stage, RlStage)
    algorithm = task.stage.algorithm
    engine_trainer.install(task.job, algorithm, whitening(algorithm, whitens(task.plan)))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=False)


def _variables() -> dict[str, str]:
    """Return the variables of every process: those that OpenRLHF sets if it starts Ray itself."""
    defaults = {"TOKENIZERS_PARALLELISM": "true", "NCCL_DEBUG": "WARN", "RAY_ENABLE_ZERO_COPY_TORCH_TENSORS": "1"}
    return {name: os.environ.get(name, value) for name, value in defaults.items()}


def _service_settings(task: StageTask, files: StageFiles) -> ServiceSettings:
    assert isinstance(task.stage, RlStage)
    progress = checkpoint_progress(files.checkpoints) if files.resume else StageProgress()
    return ServiceSettings.of(
        task,
        consumed=progress.prompts,
        trained=progress.steps,
        evaluation_rows=files.evaluation_rows,
        **service_options(task.plan, task.stage.batch_size),
    )
