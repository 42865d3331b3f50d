"""The judge `policy/self` as a plan names it; it answers only inside a job of this backend."""

from typing import Literal

from rewardlab_training import PolicyJudgeOptions, policy_judge_spec


class PolicyOptions(PolicyJudgeOptions):
    """The sampling of the policy as a judge, and with which of its weights it answers."""

    weights: Literal["current", "start"] = "current"
    """current: those that are being trained; start: those with which the stage began, kept beside them"""


POLICY_JUDGE = policy_judge_spec("the policy in training, or as it was when the stage began", PolicyOptions)
