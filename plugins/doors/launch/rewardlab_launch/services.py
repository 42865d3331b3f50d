"""The servers of a site: which nodes they are on, and the words of the commands that start them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from rewardlab.errors import nearest
from rewardlab.recipe import Finding

from rewardlab_launch.site import NodePool, SiteService
from rewardlab_launch.site_values import PORT

SERVED_NAME = "--served-model-name"
TRAINER = "trainer"
"""the name of the part of a job that runs the recipe, among those of services"""


@dataclass(frozen=True, kw_only=True)
class PlacedService:
    """A service with its nodes: `first` counts those of its group that others have, from 0.

    A group is a part of the job on nodes of one pool; the trainer is in group 0.

    Args:
        per_node: how many of its replicas share a node.
    """

    name: str
    service: SiteService
    pool: NodePool
    group: int
    first: int
    per_node: int

    @property
    def nodes(self) -> int:
        """The number of nodes that it needs."""
        return -(-self.service.replicas // self.per_node)

    @property
    def script(self) -> str:
        """The name of the file that starts a server of it."""
        return f"serve-{self.name}.sh"

    @property
    def words(self) -> list[str]:
        """The words of the command that starts one server, with PORT in the place of its port."""
        service = self.service
        parallel = str(max(service.gpus, 1))
        if service.server == "vllm":
            start = ["vllm", "serve", str(service.model), "--host", "0.0.0.0", "--port", PORT]
            return [*start, "--tensor-parallel-size", parallel, *service.arguments]
        if service.server == "sglang":
            start = ["python3", "-m", "sglang.launch_server", "--model-path", str(service.model), "--host", "0.0.0.0"]
            return [*start, "--port", PORT, "--tp", parallel, *service.arguments]
        return [*service.command, *service.arguments]

    @property
    def served_names(self) -> list[str]:
        """The names under which the model is asked for; none where only the server knows."""
        words = [*self.service.arguments]
        if SERVED_NAME not in words:
            return [] if self.service.model is None else [self.service.model]
        following = words[words.index(SERVED_NAME) + 1 :]
        return [*takewhile(lambda word: not word.startswith("-"), following)]


def placed_services(
    services: Mapping[str, SiteService], pools: Mapping[str, NodePool], main: str, nodes: int
) -> tuple[list[PlacedService], list[str]]:
    """Return the services with their nodes, and the pools of the groups; each pool is there and has enough GPUs.

    Args:
        main: the pool of the trainer.
        nodes: those of the trainer, which come first in group 0.
    """
    groups, taken, placed = [main], {main: nodes}, []
    for name, service in services.items():
        pool = service.pool or main
        if pool not in groups:
            groups.append(pool)
        each = {"gpus": (pools[pool].gpus, service.gpus), "cpus": (pools[pool].cpus or 0, service.cpus)}
        fitting = [has // needs for has, needs in each.values() if has and needs]
        placed.append(
            PlacedService(
                name=name,
                service=service,
                pool=pools[pool],
                group=groups.index(pool),
                first=taken.get(pool, 0),
                per_node=max(1, min([service.replicas, *fitting])),
            )
        )
        taken[pool] = taken.get(pool, 0) + placed[-1].nodes
    return placed, groups


def service_findings(
    services: Mapping[str, SiteService], pools: Mapping[str, NodePool], main: str
) -> Iterator[Finding]:
    """Yield what is wrong with services and the pools that they name, each with its place in the site file."""
    for name, service in services.items():
        place = ("services", name)
        if name == TRAINER:
            yield place, "this is the name of the job's own part; give the service another"
        pool = service.pool or main
        if pool not in pools:
            yield (*place, "pool"), f"no pool {pool!r} in compute.pools{nearest(pool, pools)}"
        elif service.gpus > pools[pool].gpus:
            has = pools[pool].gpus
            yield (*place, "gpus"), f"a node of pool {pool!r} has {has} GPUs, and a replica needs {service.gpus} on one"
        elif service.cpus > (pools[pool].cpus or service.cpus):
            yield (*place, "cpus"), f"a node of pool {pool!r} has {pools[pool].cpus} cores, fewer than a replica needs"
