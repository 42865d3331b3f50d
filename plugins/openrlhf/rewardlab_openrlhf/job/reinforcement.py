"""Stage `rl` in the cluster: Ray, the actors that score, and then OpenRLHF's loop."""

import os
import runpy
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NoReturn

from rewardlab.errors import JobError, UserError, one_line
from rewardlab.judging import probe_judges
from rewardlab.recipe import RlStage
from rewardlab.training import judges_itself, telemetry_variables
from rewardlab_ray.ray_actors import NAMESPACE
from rewardlab_ray.scoring.scorer_placement import ScorerPlacement
from rewardlab_ray.scoring.service import Service, ServiceSettings, start_service
from rewardlab_ray.stage_task import StageTask

from rewardlab_openrlhf.compile import Command, evaluation_temperature
from rewardlab_openrlhf.job.check_nodes import check_nodes
from rewardlab_openrlhf.job.checkpoint import StageProgress, checkpoint_progress
from rewardlab_openrlhf.job.lost_process import LostProcess, StartFailure, is_loss, text_of_engine
from rewardlab_openrlhf.layout import layout_of, split_size
from rewardlab_openrlhf.options import Options, options_of, service_options
from rewardlab_openrlhf.stage_files import StageFiles

GPU_PATIENCE_S = 600.0
"""for the GPUs of a node that was lost and of a job that died"""
GPU_LOOK_S = 2.0
LOCAL = {"address": "local", "include_dashboard": False}
STUB = '''"""The executor that OpenRLHF's rollout engines load in stage {name}; made by rewardlab."""

from rewardlab_openrlhf.rollout.executor import GroupExecutor


class AgentExecutor(GroupExecutor):
    job = {job!r}
    settings = {settings!r}
'''


def reinforce(task: StageTask, files: StageFiles, command: Command) -> None:
    """Run the whole stage. Raises JobError with the first reason why it had to end."""
    import ray

    arguments = command.with_secrets(os.environ.get("WANDB_API_KEY"))
    backend = options_of(task.plan)
    assert isinstance(task.stage, RlStage)
    settings = executor_settings(backend, task.stage, judges_itself(task.plan))
    files.agent.write_text(STUB.format(name=task.name, job=task.job, settings=settings), encoding="utf-8")
    with _start_of(task):
        service = _start_scoring(task, files, backend)
    first = service.open_step()
    try:
        _start_engine(task, command.module, arguments)
    except BaseException as error:
        _raise_reason(task, service, first, error)
    else:
        if (open_step := service.open_step()) is not None:  # else a training that ended well has ended well
            check_last_step(task, open_step)
    finally:
        for line in service.close():
            task.say(line)
        ray.shutdown()


@contextmanager
def _start_of(task: StageTask) -> Iterator[None]:
    """Raise what keeps the stage from starting as a StartFailure, unless it is a mistake or a loss."""
    try:
        yield
    except (UserError, LostProcess):
        raise
    except JobError as error:
        raise StartFailure(str(error)) from error
    except Exception as error:  # of Ray, of several kinds
        if is_loss(error):
            raise
        traceback.print_exc()
        raise StartFailure(f"stage {task.name}: {one_line(error)}") from error


def _start_scoring(task: StageTask, files: StageFiles, backend: Options) -> Service:
    """Connect to Ray, see that all is there that the stage needs, and start the actors that score."""
    assert isinstance(task.stage, RlStage)
    connect(task)
    threading.Thread(target=_import_engine, name="rewardlab-import-engine", daemon=True).start()
    layout = layout_of(backend, task.stage)
    wait_for_gpus(task, layout.gpus - layout.idle + layout.held)
    nodes = check_nodes(task, layout.gpus - layout.idle + layout.held)
    ask_judges(task)
    placement = ScorerPlacement(backend.scorers, backend.gpus_per_node or 0, split_size(backend), nodes)
    return start_service(_service_settings(task, files), backend.scorers, placement=placement)


def ask_judges(task: StageTask) -> None:
    """Ask each judge once from the cluster; after a loss, wait for one that is down as a job under way would.

    On one machine they were asked before the run began, and a restart finds them as its questions do.
    """
    if os.environ.get("RAY_ADDRESS"):
        probe_judges(task.plan, task.say, task.index, patient=task.restarted)


def _raise_reason(task: StageTask, service: Service, first: tuple[int, int] | None, error: BaseException) -> NoReturn:
    """Raise why OpenRLHF's loop has ended with `error`. first: the open step before it began."""
    why = service.failure()
    if isinstance(error, Exception) and service.is_lost():
        raise LostProcess(why or f"stage {task.name}: an actor that scores is dead") from error
    if why is not None:
        raise (LostProcess if "EngineDead" in why else JobError)(why) from error
    began = first is None or service.open_step() != first
    if began or not task.restarted or not isinstance(error, Exception) or is_loss(error):
        raise error
    traceback.print_exc()
    raise StartFailure(f"stage {task.name}: {text_of_engine(error)}") from error


def check_last_step(task: StageTask, open_step: tuple[int, int]) -> None:
    """Say where the last groups were too few to be trained on; a JobError if there are no others.

    OpenRLHF makes no update of fewer completions than an update has, and ends well with what it has, if it is the
    weights that it began with. open_step: what Service.open_step returns.
    """
    stage, (step, groups) = task.stage, open_step
    assert isinstance(stage, RlStage)
    update = stage.batch_size * stage.group_size // stage.updates_per_batch
    completions = groups * stage.group_size
    if step == 1 and completions < update:
        kept = f"all groups but {groups}, which are less than an update," if groups else "every group,"
        raise JobError(
            f"stage {task.name}: backend.engine.dynamic_filtering left out {kept} so nothing was trained; look at "
            "reward.correctness of its groups in the ledger, and take wider bounds or other rows"
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
        "top_k": stage.top_k,
        "stop": stage.stop,
        "generates_ahead": backend.engine.generates_ahead(stage.batch_size),
        "evaluation_before": _evaluation_before(stage),
        "policy_judge": policy_judge,
    }


def _evaluation_before(stage: RlStage) -> dict[str, Any] | None:
    """Return how the policy is sampled before the first step; None if it is not."""
    if stage.evaluation is None or not stage.eval_before:
        return None
    return {"samples": stage.evaluation.samples, "temperature": evaluation_temperature(stage)}


def connect(task: StageTask) -> None:
    """Connect to the cluster that this process is a job of (RAY_ADDRESS), or start a Ray on this machine."""
    import ray

    # a Ray of this job's own needs no dashboard, which takes seconds and a port where anybody here may start jobs
    where = {"address": address} if (address := os.environ.get("RAY_ADDRESS")) else LOCAL
    os.environ["RAY_OVERRIDE_JOB_RUNTIME_ENV"] = "1"  # or Ray refuses variables that the job was given, too: secrets
    handler = signal.getsignal(signal.SIGTERM)
    ray.init(**where, namespace=NAMESPACE, runtime_env={"env_vars": _environment(task)}, log_to_driver=True)
    signal.signal(signal.SIGTERM, handler)  # Ray sets one that exits at once, without the grace period


def _import_engine() -> None:
    """Import what OpenRLHF's module imports, while nodes are looked at and the actors that score start.

    That takes seconds, and so do these. An error comes again if the module is run.
    """
    with suppress(Exception):
        import_module("openrlhf.trainer.ppo_trainer")
        import_module("openrlhf.trainer.ray.ppo_critic")


def wait_for_gpus(task: StageTask, gpus: int) -> None:
    """Where the stage was restarted, wait until so many GPUs are free, for GPU_PATIENCE_S at most."""
    import ray

    end, told = time.monotonic() + GPU_PATIENCE_S, False
    while task.restarted and time.monotonic() < end:
        free = ray.available_resources().get("GPU", 0)
        if free >= gpus:
            return
        if not told:
            task.say(f"waiting for GPUs: {free:g} of {gpus} are free; for {GPU_PATIENCE_S:.0f} s at most")
            told = True
        time.sleep(GPU_LOOK_S)


def _start_engine(task: StageTask, module: str, arguments: Sequence[str]) -> None:
    """Run OpenRLHF's own module in this process, as `python -m` would."""
    from rewardlab_openrlhf.job import engine_trainer

    assert isinstance(task.stage, RlStage)
    engine_trainer.install(task.job, task.stage.algorithm)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=False)


def _environment(task: StageTask) -> Mapping[str, str]:
    """Return the variables of every process: those that OpenRLHF sets if it starts Ray itself, and the secrets."""
    defaults = {"TOKENIZERS_PARALLELISM": "true", "NCCL_DEBUG": "WARN", "RAY_ENABLE_ZERO_COPY_TORCH_TENSORS": "1"}
    wanted = {name: os.environ.get(name, value) for name, value in defaults.items()} | telemetry_variables()
    return wanted | {name: os.environ[name] for name in options_of(task.plan).secrets if name in os.environ}


def _service_settings(task: StageTask, files: StageFiles) -> ServiceSettings:
    assert isinstance(task.stage, RlStage)
    progress = checkpoint_progress(files.checkpoints) if files.resume else StageProgress()
    return ServiceSettings(
        job=task.job,
        run=task.run,
        recipe=task.recipe,
        stage=task.index,
        attempt=task.attempt,
        folder=task.folder,
        home=task.home,
        consumed=progress.prompts,
        trained=progress.steps,
        evaluation_rows=files.evaluation_rows,
        **service_options(options_of(task.plan), task.stage.batch_size),
    )
