"""The nodes of the cluster that this process is connected to, and which of their GPUs are free."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FREE_LIMIT_S = 30.0
"""a job that ended just now still holds its GPUs for some seconds"""
PAUSE_S = 1.0


@dataclass(frozen=True)
class ClusterNode:
    """A living node of a Ray cluster; `gpus` are all of its GPUs, `free` those that nobody holds."""

    id: str
    name: str
    gpus: int
    free: int
    cpus: float


def cluster_nodes(gpus: int, each: int = 1) -> list[ClusterNode]:
    """Return all living nodes, as soon as enough GPUs are free or it is clear that they will not be.

    Args:
        gpus: how many are needed in all.
        each: the least of one node that are of use.
    """
    end = time.monotonic() + FREE_LIMIT_S
    while True:
        nodes = _nodes()
        too_few = sum(node.gpus for node in nodes) < gpus
        if too_few or free_gpus(nodes, each) >= gpus or time.monotonic() > end:
            return nodes
        time.sleep(PAUSE_S)


def free_gpus(nodes: Sequence[ClusterNode], each: int) -> int:
    """Return the free GPUs of the nodes that have `each`, in whole multiples of it."""
    return sum(node.free // each * each for node in nodes)


def _nodes() -> list[ClusterNode]:
    import ray
    from ray._private.state import available_resources_per_node  # Ray has no public one that needs no dashboard

    alive = [node for node in ray.nodes() if node["Alive"]]
    free = available_resources_per_node()
    return [
        ClusterNode(
            id=node["NodeID"],
            name=name,
            gpus=int(node["Resources"].get("GPU", 0)),
            free=int(free.get(node["NodeID"], {}).get("GPU", 0)),
            cpus=node["Resources"].get("CPU", 0.0),
        )
        for name, node in zip(_names(alive), alive, strict=True)
    ]


def _names(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a name for each node: its host's, with Ray's own if several nodes share a host."""
    hosts = [str(node.get("NodeManagerHostname") or node.get("NodeManagerAddress")) for node in nodes]
    return [
        host if hosts.count(host) == 1 else f"{host} ({node['NodeID'][:8]})"
        for host, node in zip(hosts, nodes, strict=True)
    ]
