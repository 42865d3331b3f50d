"""The places of the scorers: those with GPUs together on a node, those without one after the other on all nodes."""

from collections.abc import Iterator, Sequence
from typing import Any

from rewardlab.errors import JobError

from rewardlab_ray.job_options import Scorers
from rewardlab_ray.scoring.scorer_nodes import ScorerNode, replicas_of_gpu, scorer_nodes


class ScorerPlacement:
    """The Ray resources of an rl stage's scorers; `close` gives back what is held for them.

    gpus_per_node: the GPUs of a node. tensor_parallel: those of a rollout engine, which must be of one node. nodes: the
    Ray ids of the nodes for scorers without a GPU; any node if none is given.
    """

    def __init__(
        self, scorers: Scorers, gpus_per_node: int = 0, tensor_parallel: int = 1, nodes: Sequence[str] = ()
    ) -> None:
        self._scorers = scorers
        self._nodes = nodes
        self._groups = [
            _reserve(scorers, node) for node in scorer_nodes(scorers, gpus_per_node, tensor_parallel) if gpus_per_node
        ]

    def wait(self, limit: float) -> None:
        """Wait until Ray has set the GPUs aside. JobError if that takes more than `limit` seconds."""
        for node, group in self._groups:
            if not group.wait(limit):
                raise JobError(
                    f"Ray has not set aside GPUs for the scorers within {limit:g} s; has one node room for "
                    f"{node.replicas} of them, each with {self._scorers.num_cpus:g} CPUs and "
                    f"{self._scorers.num_gpus:g} GPUs?"
                )

    def options(self) -> Iterator[dict[str, Any]]:
        """Yield the actor options of each scorer."""
        own = {"num_cpus": self._scorers.num_cpus, "num_gpus": self._scorers.num_gpus}
        if self._groups:
            yield from ({**own, "scheduling_strategy": bundle} for bundle in self._bundles())
        else:
            yield from ({**own, "scheduling_strategy": self._node(i)} for i in range(self._scorers.replicas))

    def close(self) -> None:
        """Give back the GPUs."""
        from ray.util.placement_group import remove_placement_group

        for _node, group in self._groups:
            remove_placement_group(group)

    def _bundles(self) -> Iterator[Any]:
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        for node, group in self._groups:
            for number in range(node.replicas):
                index = number // replicas_of_gpu(self._scorers)
                yield PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=index)

    def _node(self, number: int) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        if not self._nodes:
            return "SPREAD"
        return NodeAffinitySchedulingStrategy(self._nodes[number % len(self._nodes)], soft=True)


def _reserve(scorers: Scorers, node: ScorerNode) -> tuple[ScorerNode, Any]:
    """Return a placement group of one node: a bundle for the scorers of each GPU (or GPUs), and one that is held."""
    from ray.util.placement_group import placement_group

    shared = replicas_of_gpu(scorers)
    bundles = []
    for first in range(0, node.replicas, shared):
        together = min(shared, node.replicas - first)
        bundles.append({"GPU": max(1.0, scorers.num_gpus), "CPU": scorers.num_cpus * together})
    if node.held:
        bundles.append({"GPU": float(node.held)})
    positive = [{name: amount for name, amount in bundle.items() if amount} for bundle in bundles]
    return node, placement_group(positive, strategy="STRICT_PACK")
