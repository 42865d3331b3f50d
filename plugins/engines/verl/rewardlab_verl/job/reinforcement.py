"""An rl stage: Ray, the actors that score, and then verl's own trainer."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from rewardlab.errors import UserError
from rewardlab.recipe import RlStage
from rewardlab_ray.job.scored_training import scored_training
from rewardlab_ray.scoring.service import Service, ServiceSettings
from rewardlab_ray.stage_task import StageTask

from rewardlab_verl.compile import VerlCommand, VerlFiles
from rewardlab_verl.job.checkpoints import newest_step
from rewardlab_verl.job.engine import ENGINE
from rewardlab_verl.job.step_numbers import trackers
from rewardlab_verl.options import options_of

LOOK_S = 2.0
"""seconds between two looks whether a group could not be scored"""


def reinforce(task: StageTask, files: VerlFiles, command: VerlCommand) -> None:
    """Run the whole stage. Raises JobError with the first reason why it had to end."""
    with (
        scored_training(
            ENGINE, task, _service_settings(task, files), _variables(), meanwhile=_require_plugin
        ) as service,
        _ended_by_failure(service),
    ):
        _start_trainer(command)


def _variables() -> dict[str, str]:
    """Return the variables of every process: those that verl sets if it starts Ray itself, and its trackers'."""
    from verl.trainer.constants_ppo import get_ppo_ray_runtime_env

    verls: Mapping[str, str] = get_ppo_ray_runtime_env()["env_vars"]
    return {**verls, "TRANSFER_QUEUE_ENABLE": "1", **trackers()}


def _require_plugin() -> None:
    """Raise UserError if verl has not loaded our plugin, which it tells at its level DEBUG alone."""
    from verl.experimental.reward_loop.reward_manager.registry import REWARD_MANAGER

    if "rewardlab" not in REWARD_MANAGER:
        import_module("rewardlab_verl.plugin")  # raises the reason why it cannot be loaded
        raise UserError(
            "verl has not loaded the plugin rewardlab of its entry-point group verl.plugins; is "
            "VERL_USE_EXTERNAL_PLUGINS set without it, or rewardlab-verl on the path but not installed?"
        )


def _start_trainer(command: VerlCommand) -> None:
    """Run verl's own module in this process, as `python -m` would."""
    sys.argv = [command.module, *command.arguments]
    import_module(command.module).main()


@contextmanager
def _ended_by_failure(service: Service) -> Iterator[None]:
    """Interrupt this process once a group could not be scored: verl would go on without it, or wait for ever."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(LOOK_S):
            if service.failure() is not None:
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = threading.Thread(target=watch, name="rewardlab-failures", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()


def _service_settings(task: StageTask, files: VerlFiles) -> ServiceSettings:
    stage, backend = task.stage, options_of(task.plan)
    assert isinstance(stage, RlStage)
    trained = newest_step(files.checkpoints) if files.resume else 0
    replaces = task.plan.replaces_groups and not task.evaluates
    barrier: dict[str, Any] = backend.engine.barrier.model_dump()
    return ServiceSettings.of(
        task,
        consumed=trained * stage.batch_size,
        trained=trained,
        evaluation_rows=files.evaluation_rows,
        tensorboard=backend.tensorboard,
        wandb=backend.engine.wandb,
        replaces=replaces,
        says_trained=replaces,
        **barrier,
    )
