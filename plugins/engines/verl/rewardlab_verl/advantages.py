"""The advantage estimator `rewardlab` of verl: rewards that are advantages already stay as they are.

The actors that score compute the advantages of each group, of which a completion without a reward is no part, as for
every other engine; verl's own estimators would count the stand-ins of missing rewards.
"""

from collections.abc import Sequence
from typing import Any

from rewardlab.errors import UserError
from rewardlab_ray.ray_actors import NAMESPACE, UNTIL_DEAD, coordinator_name
from rewardlab_training import whitened


def finished_advantages(
    token_level_rewards: Any, response_mask: Any, config: Any = None, index: Sequence[str] = (), **_: Any
) -> tuple[Any, Any]:
    """Return (advantages, returns), both B x T: at each token the sum of the rewards from it on.

    The reward of a completion is at its last token; those of the other tokens are the penalty of `kl: {in: reward}`.

    Args:
        index: the group of each completion, by which whitening learns how many of the step have a reward at all.
    """
    job = None if config is None else config.get("rewardlab")
    if job is None:
        raise UserError(
            "algorithm.adv_estimator=rewardlab is for jobs that `rewardlab run` starts, whose rewards are advantages; "
            "with a script of your own use verl's estimators, such as grpo"
        )
    rewards = token_level_rewards * response_mask
    if (whitening := job["whitening"]) is not None:
        rewards = _whitened(rewards, _count_scored(job["job"], index), whitening)
    returns = rewards.flip(-1).cumsum(-1).flip(-1) * response_mask
    return returns, returns


def _whitened(rewards: Any, count: int, whitening: int) -> Any:
    """Return the rewards, of which each completion has one, over the deviation of the step's `count` that have one."""
    scores = rewards.sum(-1)
    made = scores.new_tensor(whitened(scores.tolist(), count, whitening))
    return (rewards != 0) * made.unsqueeze(-1)


def _count_scored(job: str, index: Sequence[str]) -> int:
    import ray

    coordinator = ray.get_actor(coordinator_name(job), namespace=NAMESPACE)
    count: int = ray.get(coordinator.scored_of.options(**UNTIL_DEAD).remote(sorted({str(key) for key in index})))
    return count
