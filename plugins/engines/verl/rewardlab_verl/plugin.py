"""The module that verl imports in each process, by its entry points `verl.plugins`: our names in its registries.

verl tells a plugin that fails to load only at its level DEBUG, and says then that the reward manager is not
registered. So the reason is said here, aloud.
"""

import logging

NAME = "rewardlab"
"""of the reward manager and of the advantage estimator"""


def _register() -> None:
    from verl.experimental.reward_loop.reward_manager.registry import register
    from verl.trainer.ppo.core_algos import register_adv_est

    from rewardlab_verl.advantages import finished_advantages
    from rewardlab_verl.reward_manager import RewardlabManager

    register(NAME)(RewardlabManager)
    register_adv_est(NAME)(finished_advantages)


try:
    _register()
except Exception:
    logging.getLogger(__name__).exception(
        "rewardlab cannot be used in this process of verl: `reward.reward_manager.name=rewardlab` will not be found"
    )
    raise
