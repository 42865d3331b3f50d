"""The judge `policy/self` as a plan names it; it answers only inside a job of this backend."""

from rewardlab_training import policy_judge_spec

POLICY_JUDGE = policy_judge_spec("the policy in training, asked on its rollout engines")
