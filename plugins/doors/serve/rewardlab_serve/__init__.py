"""The reward of a recipe as an HTTP server: `rewardlab serve`, and the client that asks it.

command        the options of `rewardlab serve`
server         the process: its address, its routes, and the end by a signal
reward_service groups from their first completion to the answer
cohort         one group that is being asked about
kept_answers   answers that a repeated request gets again
errors         what a request is answered that gets no reward
gate           who may ask, and how much: addresses, token, body, rate
metrics        counts for Prometheus
native_api     the routes that carry all that a recipe says of a group
doors          the routes of other trainers, in their own words
openapi        the description of the routes
client         the client for programs
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rewardlab_serve.client import RewardClient

__all__ = ["RewardClient"]


def __getattr__(name: str) -> object:
    """Return the client, which is imported when it is first asked for: the command needs none of it."""
    if name != "RewardClient":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rewardlab_serve.client import RewardClient

    return RewardClient
