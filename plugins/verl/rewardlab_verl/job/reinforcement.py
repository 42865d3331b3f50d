"""An rl stage: Ray, the actors that score, and then verl's own trainer."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from rewardlab.errors import JobError, UserError
from rewardlab.recipe import RlStage
from rewardlab.training import telemetry_variables
from rewardlab_ray.ray_actors import NAMESPACE
from rewardlab_ray.scoring.service import Service, ServiceSettings, start_service
from rewardlab_ray.stage_task import StageTask

from rewardlab_verl.compile import VerlCommand, VerlFiles
from rewardlab_verl.job.checkpoints import newest_step
from rewardlab_verl.job.step_watch import LOGGER_PATH
from rewardlab_verl.options import options_of

LOOK_S = 2.0
"""seconds between two looks whether a group could not be scored"""


def reinforce(task: StageTask, files: VerlFiles, command: VerlCommand) -> None:
    """Run the whole stage. Raises JobError with the first reason why it had to end."""
    import ray

    _connect(task)
    _require_plugin()
    service = start_service(_service_settings(task, files), options_of(task.plan).scorers)
    try:
        with _ended_by_failure(service):
            _start_trainer(command)
    except BaseException as error:
        if (why := service.failure()) is not None:
            raise JobError(why) from error
        raise
    finally:
        for line in service.close():
            task.say(line)
        ray.shutdown()


def _connect(task: StageTask) -> None:
    """Start a Ray on this machine, with what verl sets where it starts one itself."""
    import ray
    from verl.trainer.constants_ppo import get_ppo_ray_runtime_env

    os.environ["RAY_OVERRIDE_JOB_RUNTIME_ENV"] = "1"
    verls: Mapping[str, str] = get_ppo_ray_runtime_env()["env_vars"]
    ours = {name: os.environ[name] for name in (LOGGER_PATH, "TENSORBOARD_DIR") if name in os.environ}
    secrets = {name: os.environ[name] for name in options_of(task.plan).secrets if name in os.environ}
    variables = {**verls, "TRANSFER_QUEUE_ENABLE": "1", **telemetry_variables(), **ours, **secrets}
    handler = signal.getsignal(signal.SIGTERM)
    ray.init(address="local", include_dashboard=False, namespace=NAMESPACE, runtime_env={"env_vars": variables})
    signal.signal(signal.SIGTERM, handler)  # Ray sets one that exits at once, without the grace period


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
    barrier: dict[str, Any] = backend.engine.barrier.model_dump()
    return ServiceSettings(
        job=task.job,
        run=task.run,
        recipe=task.recipe,
        stage=task.index,
        attempt=task.attempt,
        folder=task.folder,
        home=task.home,
        consumed=trained * stage.batch_size,
        trained=trained,
        evaluation_rows=files.evaluation_rows,
        tensorboard=backend.tensorboard,
        wandb=backend.engine.wandb,
        **barrier,
    )
