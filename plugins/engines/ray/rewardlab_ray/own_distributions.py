"""The distributions of rewardlab that go into the environment of an engine on Ray."""

from importlib.metadata import entry_points


def own_distributions(*others: str) -> tuple[str, ...]:
    """Return rewardlab's own distributions as far as they are installed here, by name.

    Args:
        others: plugins to leave out, such as other engines, whose requirements need not fit this one's.
    """
    owners = {point.dist.name.replace("_", "-") for point in entry_points(group="rewardlab") if point.dist}
    own = {owner for owner in owners if owner.startswith("rewardlab-")}
    return tuple(sorted({*own, "rewardlab-ray"} - {*others}))
