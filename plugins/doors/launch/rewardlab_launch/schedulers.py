"""The schedulers by name: what each is given, and how a job there is submitted, asked about and stopped."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rewardlab_launch import kuberay_jobs, skypilot_jobs, slurm_jobs
from rewardlab_launch.kuberay import kuberay_files
from rewardlab_launch.launch import Launch
from rewardlab_launch.record import LaunchRecord
from rewardlab_launch.skypilot import skypilot_files
from rewardlab_launch.slurm import slurm_files


@dataclass(frozen=True, kw_only=True)
class Scheduler:
    """One scheduler. All but `files` call its commands.

    Args:
        files: returns the files of a job, by name.
        submit: called with the job and the folder of its files; returns the scheduler's own name for it.
        status, logs: return what it says of a job.
        stop: ends a job; returns whether there was one to end.
        finds_lost: whether `submit` sees for certain that a submission before, which broke off, has made the job.
    """

    files: Callable[[Launch], dict[str, str]]
    submit: Callable[[Launch, Path], str]
    status: Callable[[LaunchRecord], str]
    logs: Callable[[LaunchRecord], str]
    stop: Callable[[LaunchRecord], bool]
    finds_lost: bool = True


SCHEDULERS = {
    "slurm": Scheduler(
        files=slurm_files,
        submit=slurm_jobs.submit,
        status=slurm_jobs.status,
        logs=slurm_jobs.logs,
        stop=slurm_jobs.stop,
    ),
    "kuberay": Scheduler(
        files=kuberay_files,
        submit=kuberay_jobs.submit,
        status=kuberay_jobs.status,
        logs=kuberay_jobs.logs,
        stop=kuberay_jobs.stop,
    ),
    "skypilot": Scheduler(
        files=skypilot_files,
        submit=skypilot_jobs.submit,
        status=skypilot_jobs.status,
        logs=skypilot_jobs.logs,
        stop=skypilot_jobs.stop,
        finds_lost=False,  # its server may still be at it, long before the job is in the queue
    ),
}
