"""The distributions of rewardlab that go into the environment of an engine on Ray."""

import re
from importlib.metadata import entry_points, requires


def own_distributions(*others: str) -> tuple[str, ...]:
    """Return rewardlab's own distributions that bring components or commands here, with those that they need, by name.

    Args:
        others: plugins to leave out, such as other engines, whose requirements need not fit this one's.
    """
    points = [point for group in ("rewardlab", "rewardlab.commands") for point in entry_points(group=group)]
    owners = {point.dist.name.replace("_", "-") for point in points if point.dist}
    own, waiting = set(), [owner for owner in owners if owner.startswith("rewardlab-")] + ["rewardlab-ray"]
    while waiting:
        name = waiting.pop()
        if name not in own and name not in others:
            own.add(name)
            waiting += _required(name)
    return tuple(sorted(own))


def _required(name: str) -> list[str]:
    """Return the distributions of rewardlab that one needs without its extras."""
    lines = [line for line in requires(name) or () if "extra ==" not in line]
    return [match[0] for line in lines if (match := re.match(r"rewardlab-[\w-]+", line))]
