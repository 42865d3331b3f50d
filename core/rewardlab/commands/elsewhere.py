"""The flags by which a command works on a part of its rows, or has them scored by other processes."""

import re
from typing import Annotated

from rewardlab.errors import UserError
from rewardlab.judging.share import Share
from rewardlab.scoring.recipe_reward import OpenScorer
from rewardlab.scoring.scorer import Scorer
from rewardlab.specs.command import Flag
from rewardlab.specs.entry_points import entry_points_of

SCORERS = "rewardlab.scorers"
"""entry points of plugins that score in other processes: the scheme of an address -> a function of it, an OpenScorer"""
ShardOf = Annotated[str | None, Flag(metavar="I/N")]
ScoredOn = Annotated[str | None, Flag(metavar="ADDRESS")]


def share_of(shard: str | None) -> Share | None:
    """Return the share that --shard names, if it names one."""
    try:
        return None if shard is None else Share.parse(shard)
    except UserError as error:
        raise UserError(str(error), where="--shard") from None


def scorer_on(address: str | None) -> OpenScorer:
    """Return what opens the scorers at the address that --on names; those of this process if there is none."""
    if address is None:
        return Scorer
    scheme = re.split("[:,]", address)[0]
    for point in entry_points_of(SCORERS).select(name=scheme):
        opened: OpenScorer = point.load()(address)
        return opened
    raise UserError(f"nothing here scores on {scheme!r}, as on ray or ray://HOST:10001", where=f"--on {address}")
