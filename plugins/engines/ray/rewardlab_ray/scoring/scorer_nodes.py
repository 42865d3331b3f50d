"""The nodes that scorers with GPUs share, so that what they leave of each node divides into rollout engines.

An engine's GPUs must be of one node. Spread over the nodes, two scorers of one GPU leave 7 and 7 of 8 and 8 GPUs, of
which Ray would give some engine of two its GPUs on both nodes.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rewardlab_ray.job_options import Scorers


@dataclass(frozen=True, kw_only=True)
class ScorerNode:
    """The scorers of one node."""

    replicas: int
    gpus: int
    """whole GPUs that they take"""
    held: int
    """GPUs beside them that would only make a part of an engine: nobody uses them"""


def scorer_nodes(scorers: Scorers, each: int, tensor_parallel: int) -> list[ScorerNode]:
    """Return the nodes of the scorers, of which all but the last are full; none if scorers have no GPU.

    Args:
        each: the GPUs of a node, of which a scorer must not take more.
        tensor_parallel: the GPUs of an engine.
    """
    if scorers.num_gpus == 0:
        return []
    nodes = []
    for replicas in _split(scorers.replicas, _replicas_of_node(scorers, each)):
        gpus = _whole_gpus(scorers, replicas)
        nodes.append(ScorerNode(replicas=replicas, gpus=gpus, held=(each - gpus) % tensor_parallel))
    return nodes


def replicas_of_gpu(scorers: Scorers) -> int:
    """Return how many scorers share a GPU; 1 if one takes whole ones."""
    return max(1, math.floor(1 / scorers.num_gpus + 1e-9))


def _replicas_of_node(scorers: Scorers, each: int) -> int:
    if scorers.num_gpus < 1:
        return each * replicas_of_gpu(scorers)
    return each // int(scorers.num_gpus)


def _whole_gpus(scorers: Scorers, replicas: int) -> int:
    """Return how many GPUs the scorers of one node take; those with a part of one share it with each other only."""
    if scorers.num_gpus < 1:
        return math.ceil(replicas / replicas_of_gpu(scorers))
    return replicas * int(scorers.num_gpus)


def _split(replicas: int, of_node: int) -> Iterator[int]:
    while replicas > 0:
        yield min(replicas, of_node)
        replicas -= of_node
