"""Processes in which rewards, models and data steps run, of which any can hang, crash or be killed.

In go a reward, or a Python file that holds a model, and what they are asked: completions with their samples, or
questions in JSON. Out come scores or answers, or an error that says what became of the process. A process that dies, or
passes its deadline or its memory limit, is replaced, and none outlives the job.

    reward_pool   the processes of one reward that declares runs="worker"
    shared        worker files that several components share, so that no model is in memory twice
    process_pool  up to n processes, the threads that wait for them, and what is done about their deaths
    output        what processes print, as the user sees it
    process       one process as the host sees it: command, messages, deadlines, end
    errors        the failures of workers
    memory        how much a process takes, and what it gives back
    worker_main   the program that runs in the process
    placement     the environment, device and threads of a component's processes
    devices       the torch device: found out without torch, checked with it
    environments  what an environment is made from, and the door to the plugin that builds it
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.workers.devices import AUTO_DEVICE as AUTO_DEVICE
    from rewardlab.workers.devices import DeviceError as DeviceError
    from rewardlab.workers.devices import require_device as require_device
    from rewardlab.workers.devices import resolve_device as resolve_device
    from rewardlab.workers.environments import EnvironmentDefinition as EnvironmentDefinition
    from rewardlab.workers.environments import InstallStep as InstallStep
    from rewardlab.workers.environments import environment_of as environment_of
    from rewardlab.workers.environments import managed as managed
    from rewardlab.workers.errors import PluginRaisedError as PluginRaisedError
    from rewardlab.workers.errors import WorkerStartError as WorkerStartError
    from rewardlab.workers.errors import WorkerTimeout as WorkerTimeout
    from rewardlab.workers.placement import interpreter_of as interpreter_of
    from rewardlab.workers.placement import opener as opener
    from rewardlab.workers.placement import python_of as python_of
    from rewardlab.workers.process import START_LIMIT as START_LIMIT
    from rewardlab.workers.process import WorkerProcess as WorkerProcess
    from rewardlab.workers.process import host_sys_path as host_sys_path
    from rewardlab.workers.process import message_line as message_line
    from rewardlab.workers.reward_pool import WorkerPool as WorkerPool
    from rewardlab.workers.shared import Workers as Workers

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
