"""The Ray that a stage's driver is connected to: the cluster that it is a job of, or one of its own on this machine."""

import os
import signal
import time
from collections.abc import Mapping

from rewardlab_training import telemetry_variables

from rewardlab_ray.job.lost_process import RayStartTimeout
from rewardlab_ray.job_options import job_options
from rewardlab_ray.ray_actors import NAMESPACE
from rewardlab_ray.stage_task import StageTask

GPU_PATIENCE_S = 600.0
"""for the GPUs of a node that was lost and of a job that died"""
GPU_LOOK_S = 2.0
RAYS_TIMEOUT = "timed out during startup"
"""in what Ray raises if its own processes are not up after 30 s, which no setting of Ray changes"""
LOCAL = {"address": "local", "include_dashboard": False}


def connect(task: StageTask, variables: Mapping[str, str]) -> None:
    """Connect to the cluster that this process is a job of (RAY_ADDRESS), or start a Ray on this machine.

    Args:
        variables: of every process of the job, beside the recipe's secrets.
    """
    import ray

    # a Ray of this job's own needs no dashboard, which takes seconds and a port where anybody here may start jobs
    where = {"address": address} if (address := os.environ.get("RAY_ADDRESS")) else LOCAL
    os.environ["RAY_OVERRIDE_JOB_RUNTIME_ENV"] = "1"  # or Ray refuses variables that the job was given, too: secrets
    secrets = {name: os.environ[name] for name in job_options(task.plan).secrets if name in os.environ}
    environment = {"env_vars": {**variables, **telemetry_variables(), **secrets}}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**where, namespace=NAMESPACE, runtime_env=environment, log_to_driver=True)
    except Exception as error:  # Ray raises no narrower one here
        if RAYS_TIMEOUT not in str(error):
            raise
        load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
        raise RayStartTimeout(f"stage {task.name}: Ray was not up within 30 s on this machine ({load})") from error
    signal.signal(signal.SIGTERM, handler)  # Ray sets one that exits at once, without the grace period


def wait_for_gpus(task: StageTask, gpus: int) -> None:
    """Wait, after a restart of the stage, until so many GPUs are free, for GPU_PATIENCE_S at most."""
    import ray

    end, announced = time.monotonic() + GPU_PATIENCE_S, False
    while task.restarted and time.monotonic() < end:
        free = ray.available_resources().get("GPU", 0)
        if free >= gpus:
            return
        if not announced:
            task.say(f"waiting for GPUs: {free:g} of {gpus} are free; for {GPU_PATIENCE_S:.0f} s at most")
            announced = True
        time.sleep(GPU_LOOK_S)
