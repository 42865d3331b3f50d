"""The costs of a rollout as rewards: its tokens, its seconds and its calls of tools."""

from rewardlab import RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_rollout.options import CostOptions

PENALTY = dict.fromkeys(("empty", "prompt_copy"), "a penalty, which has nothing to punish where nothing was spent")
COSTS = {
    "tokens": "0, falling to -1 the more tokens the policy sampled",
    "seconds": "0, falling to -1 the longer the rollout took",
    "tool_calls": "0, falling to -1 the more tools were called",
}


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    """Return a reward for each cost."""
    return [
        RewardSpec(
            name=name,
            summary=summary,
            config=CostOptions,
            range=(-1.0, 0.0),
            range_of=lambda options: (-options.worst, 0.0),
            scope="trajectory" if name == "tool_calls" else "completion",
            completion_needs=[{"tool_calls": "messages", "tokens": "token_count"}.get(name, name)],
            runs="inline",
            build=f"rewardlab_rollout.cost:{''.join(map(str.capitalize, name.split('_')))}Cost",
            laws=Laws(examples=f"rewardlab_rollout.examples:{name}", off=PENALTY),
        )
        for name, summary in COSTS.items()
    ]
