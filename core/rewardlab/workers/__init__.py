"""Processes in which rewards, models and data steps run, of which any can hang, crash or be killed.

In go a reward, or a Python file that holds a model, and what they are asked: completions with their samples, or
questions in JSON. Out come scores or answers, or an error that says what became of the process. A process that dies, or
passes its deadline or its memory limit, is replaced, and none outlives the job.

    reward_pool   the processes of one reward that declares runs="worker"
    shared        worker files that several components share, so that no model is in memory twice
    crew          up to n processes, the threads that wait for them, and what is done about their deaths
    output        what processes print, as the user sees it
    process       one process as the host sees it: command, messages, deadlines, end
    program       the program that runs in the process
    placement     the environment, device and threads of a component's processes
    devices       the torch device, found out without torch
    environments  managed environments, built from a requirements file where they are first needed
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.workers.devices import AUTO_DEVICE, resolve_device
    from rewardlab.workers.placement import describe_environment, interpreter_of, opener, python_of
    from rewardlab.workers.process import (
        START_LIMIT,
        PluginRaisedError,
        WorkerDiedError,
        WorkerError,
        WorkerMemoryError,
        WorkerProcess,
        WorkerStartError,
        WorkerTimeout,
        message_line,
        sys_path_for,
        worker_command,
    )
    from rewardlab.workers.reward_pool import WorkerPool
    from rewardlab.workers.shared import Opener, Workers
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "devices": ["AUTO_DEVICE", "resolve_device"],
            "placement": ["describe_environment", "interpreter_of", "opener", "python_of"],
            "process": [
                "START_LIMIT",
                "PluginRaisedError",
                "WorkerDiedError",
                "WorkerError",
                "WorkerMemoryError",
                "WorkerProcess",
                "WorkerStartError",
                "WorkerTimeout",
                "message_line",
                "sys_path_for",
                "worker_command",
            ],
            "reward_pool": ["WorkerPool"],
            "shared": ["Opener", "Workers"],
        },
    )

__all__ = [
    "AUTO_DEVICE",
    "START_LIMIT",
    "Opener",
    "PluginRaisedError",
    "WorkerDiedError",
    "WorkerError",
    "WorkerMemoryError",
    "WorkerPool",
    "WorkerProcess",
    "WorkerStartError",
    "WorkerTimeout",
    "Workers",
    "describe_environment",
    "interpreter_of",
    "message_line",
    "opener",
    "python_of",
    "resolve_device",
    "sys_path_for",
    "worker_command",
]
