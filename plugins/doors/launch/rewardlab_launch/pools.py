"""The node pools of a site: which one the trainer has."""

from collections.abc import Iterator, Mapping

from rewardlab.errors import nearest
from rewardlab.recipe import Finding

from rewardlab_launch.site import NodePool


def pool_findings(pools: Mapping[str, NodePool], named: str | None) -> Iterator[Finding]:
    """Yield that the pool which a job names is not there."""
    if named is not None and named not in pools:
        yield ("job", "pool"), f"no pool {named!r} in compute.pools{nearest(named, pools)}"
