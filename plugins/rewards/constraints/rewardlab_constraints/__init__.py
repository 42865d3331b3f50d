"""A reward for following instructions that rules can check, those of IFEval and IFBench: constraints/following."""

from rewardlab import RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_constraints.options import FollowingOptions


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="following",
            summary="the share of a row's instructions that a response follows, by the checkers of IFEval and IFBench",
            config=FollowingOptions,
            range=(0.0, 1.0),
            abstains="rewardlab_constraints.following:why_meaningless",
            refuses="rewardlab_constraints.following:refusal",
            runs="thread",
            counted_info=("undecided",),
            build="rewardlab_constraints.following:Following",
            laws=Laws(examples="rewardlab_constraints.examples:following"),
        )
    ]
