"""A stage `rl` in the cluster: Ray, its nodes, the actors that score, and why the engine's loop has ended."""

import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

from rewardlab.errors import JobError, UserError, one_line
from rewardlab_training import probe_judges

from rewardlab_ray.job.check_nodes import check_nodes
from rewardlab_ray.job.connection import connect, wait_for_gpus
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.job.lost_process import LostProcess, StartFailure, is_loss, is_reason_of_loss, text_of_engine
from rewardlab_ray.job_options import job_options
from rewardlab_ray.scoring.scorer_placement import ScorerPlacement
from rewardlab_ray.scoring.service import Service, ServiceSettings, start_service
from rewardlab_ray.stage_task import StageTask


@contextmanager
def scored_training(
    engine: RayEngine,
    task: StageTask,
    settings: ServiceSettings,
    variables: Mapping[str, str],
    unsplit: int | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> Iterator[Service]:
    """Connect to Ray, check the nodes and start the actors that score; end all of it after the block.

    What the block raises becomes a JobError with the first reason why the job had to end.

    Args:
        variables: of every process of the job.
        unsplit: GPUs that must be of one node, of an engine that takes what the scorers leave (None: it has its own on
            each node).
        meanwhile: is called once Ray is there.
    """
    import ray

    with _start_of(task):
        connect(task, variables)
        if meanwhile is not None:
            meanwhile()
        service = _start_scoring(engine, task, settings, unsplit)
    first = service.open_step()
    try:
        yield service
    except BaseException as error:
        _raise_reason(task, service, first, error)
    finally:
        for line in service.close():
            task.say(line)
        ray.shutdown()


@contextmanager
def _start_of(task: StageTask) -> Iterator[None]:
    """Raise what keeps the stage from starting as a StartFailure, unless it is a mistake or a loss."""
    try:
        yield
    except (UserError, LostProcess, StartFailure):
        raise
    except JobError as error:
        raise StartFailure(str(error)) from error
    except Exception as error:  # of Ray, of several kinds
        if is_loss(error):
            raise
        traceback.print_exc()
        raise StartFailure(f"stage {task.name}: {one_line(error)}") from error


def _start_scoring(engine: RayEngine, task: StageTask, settings: ServiceSettings, unsplit: int | None) -> Service:
    """See that all is there that the stage needs, and start the actors that score."""
    options, gpus = job_options(task.plan), engine.gpus(task.plan, task.stage)
    wait_for_gpus(task, gpus)
    whole_nodes = unsplit is None and not options.scorers.num_gpus  # else some GPUs of a node are the scorers'
    nodes = check_nodes(task, engine, gpus, (options.gpus_per_node or 1) if whole_nodes else 1)
    ask_judges(task)
    shared = (0, 1) if unsplit is None else (options.gpus_per_node or 0, unsplit)
    placement = ScorerPlacement(options.scorers, *shared, nodes)
    return start_service(settings, options.scorers, placement=placement)


def ask_judges(task: StageTask) -> None:
    """Ask each judge once from the cluster; after a loss, wait for one that is down as a job under way would.

    On one machine they were asked before the run began, and a restart finds them as its questions do.
    """
    if os.environ.get("RAY_ADDRESS"):
        probe_judges(task.plan, task.say, task.index, patient=task.restarted)


def _raise_reason(task: StageTask, service: Service, first: tuple[int, int] | None, error: BaseException) -> NoReturn:
    """Raise why the engine's loop has ended with `error`. first: the open step before it began."""
    why = service.failure()
    if isinstance(error, Exception) and service.is_lost():
        raise LostProcess(why or f"stage {task.name}: an actor that scores is dead") from error
    if why is not None:
        raise (LostProcess if is_reason_of_loss(why) else JobError)(why) from error
    began = first is None or service.open_step() != first
    if began or not task.restarted or not isinstance(error, Exception) or is_loss(error):
        raise error
    traceback.print_exc()
    raise StartFailure(f"stage {task.name}: {text_of_engine(error)}") from error
