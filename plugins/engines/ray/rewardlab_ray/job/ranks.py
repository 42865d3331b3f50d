"""Stages without rewards, such as sft: a launcher on each node, with a process for every GPU of its node."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from rewardlab.errors import JobError

from rewardlab_ray.job.check_nodes import check_nodes
from rewardlab_ray.job.connection import connect, wait_for_gpus
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.stage_task import StageTask

STOP_LIMIT_S = 20.0
PLACING_LIMIT_S = 120.0
PR_SET_PDEATHSIG = 1
"""of Linux's prctl"""


class RankFailure(JobError):
    """A failed process of a training program; only the log says why."""


def train_on_ranks(
    engine: RayEngine,
    task: StageTask,
    module: str,
    arguments: Sequence[str],
    ranks: tuple[int, int],
    variables: Mapping[str, str],
) -> None:
    """Run a module with its ranks. Raises RankFailure if a process of it fails.

    Args:
        ranks: (nodes, processes on each).
        variables: of every process on a cluster.
    """
    nodes, each = ranks
    if os.environ.get("RAY_ADDRESS"):
        code = _on_cluster(engine, task, module, arguments, nodes, each, variables)
    else:
        code = launch_node(module, arguments, 1, 0, nodes * each, "127.0.0.1", _free_port())
    if code:
        raise RankFailure(f"stage {task.name}: a process of {module} ended with exit code {code}")


def launch_node(
    module: str, arguments: Sequence[str], nodes: int, node: int, ranks: int, address: str, port: int
) -> int:
    """Run this node's `ranks` processes of the module, wait for them and return the launcher's exit code."""
    launcher = [sys.executable, "-m", "torch.distributed.run", f"--nnodes={nodes}", f"--node_rank={node}"]
    launcher += [f"--nproc_per_node={ranks}", f"--master_addr={address}", f"--master_port={port}"]
    process = subprocess.Popen(
        [*launcher, "-m", module, *arguments], start_new_session=True, preexec_fn=_die_with_parent(ctypes.CDLL(None))
    )
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            _end(process)


def _die_with_parent(libc: ctypes.CDLL) -> Callable[[], None]:
    """Return what lets the process that calls it get SIGTERM when its parent is killed, as Ray kills a worker.

    A launcher that gets it ends its ranks; else they would keep their GPUs.
    """
    return lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _on_cluster(
    engine: RayEngine,
    task: StageTask,
    module: str,
    arguments: Sequence[str],
    nodes: int,
    each: int,
    variables: Mapping[str, str],
) -> int:
    """Run a launcher on each of the recipe's nodes, with all of that node's GPUs; return an exit code."""
    import ray
    from ray.util.placement_group import placement_group, remove_placement_group

    connect(task, variables)
    wait_for_gpus(task, nodes * each)
    check_nodes(task, engine, nodes * each, each)
    group = placement_group([{"GPU": each, "CPU": 1}] * nodes, strategy="STRICT_SPREAD")
    try:
        if not group.wait(PLACING_LIMIT_S):
            raise JobError(f"Ray does not have {nodes} nodes with {each} free GPUs each")
        return _launch(module, arguments, nodes, each, group)
    finally:
        remove_placement_group(group)
        ray.shutdown()


def _launch(module: str, arguments: Sequence[str], nodes: int, each: int, group: Any) -> int:
    """Run a launcher with `each` GPUs in every bundle of the group; the first exit code that is not 0 ends all."""
    import ray
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    def on(node: int, **resources: int) -> dict[str, Any]:
        bundle = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=node)
        return {**resources, "max_retries": 0, "scheduling_strategy": bundle}

    address, port = ray.get(ray.remote(**on(0, num_cpus=0))(_rendezvous).remote())
    waiting = [
        ray.remote(**on(node, num_cpus=1, num_gpus=each))(launch_node).remote(
            module, list(arguments), nodes, node, each, address, port
        )
        for node in range(nodes)
    ]
    code = 0
    while waiting and not code:
        ready, waiting = ray.wait(waiting, num_returns=1)
        code = max(ray.get(ready))
    for other in waiting:
        ray.cancel(other)
    return code


def _rendezvous() -> tuple[str, int]:
    import ray

    return ray.util.get_node_ip_address(), _free_port()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("", 0))
        return listener.getsockname()[1]


def _end(process: subprocess.Popen) -> None:
    """End the launcher and the ranks that it started, which are in a session of their own."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal_number)
        try:
            process.wait(STOP_LIMIT_S)
            return
        except subprocess.TimeoutExpired:
            continue
