"""A receipt that travels to OpenRLHF with a group, and tells the coordinator that the group has arrived.

The order in which OpenRLHF's trainer takes finished groups decides which step they train. Nobody but the process that
takes them knows it, so the receipt acts when it is unpickled there.
"""

import logging

from rewardlab_ray.ray_actors import NAMESPACE, UNTIL_DEAD, coordinator_name

_log = logging.getLogger(__name__)


class Receipt:
    """A receipt for the group with this key of a job."""

    def __init__(self, job: str, key: str) -> None:
        self.job, self.key = job, key

    def __reduce__(self) -> tuple:
        return acknowledge, (self.job, self.key)


def acknowledge(job: str, key: str) -> str:
    """Tell the job's coordinator that a group has arrived, and return the group's key without waiting for an answer."""
    import ray
    from ray.exceptions import RayError

    try:
        coordinator = ray.get_actor(coordinator_name(job), namespace=NAMESPACE)
        coordinator.received.options(**UNTIL_DEAD).remote(key)
    except (ValueError, RayError) as error:  # a job without its coordinator ends by itself, and says why
        _log.warning("the coordinator of %s was not told of group %s: %s", job, key, error)
    return key
