"""The judge `policy/self` as a plan names it; it answers only inside a job of this backend."""

from typing import Any

from rewardlab import Context, JudgeSpec
from rewardlab.errors import JobError
from rewardlab.training import Plan

from rewardlab_openrlhf.options import PolicyOptions


def _build(options: PolicyOptions, context: Context) -> Any:
    if context.policy is None:
        raise JobError("policy/self answers only inside of a training job with the openrlhf backend")
    return context.policy.judge(options)


POLICY_JUDGE = JudgeSpec(
    name="self",
    summary="the policy in training, asked on its rollout engines",
    config=PolicyOptions,
    build=_build,
    identity=lambda options: {"model": "policy/self", "params": options.model_dump()},
    most_tokens=lambda options: options.max_tokens,
)


def judges_itself(plan: Plan) -> bool:
    """Return whether a judge of the recipe is the policy in training."""
    return any(use.use == "policy/self" for use in plan.recipe.judges.values())
