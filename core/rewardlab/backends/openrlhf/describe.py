"""What `run --dry-run` prints for the openrlhf backend."""

from rewardlab.cost_plan import data_costs, reward_costs
from rewardlab.plan import Plan
from rewardlab.recipe import DataStage, RlStage


def describe(plan: Plan) -> str:
    """The stages, and what their judges will be asked; the engine's command is not made yet."""
    lines = ["backend openrlhf: checked; this version runs its data stages and cannot train with it yet"]
    for index, stage in enumerate(plan.recipe.stages):
        lines.append(f"stage {index}: {stage.use}")
        if isinstance(stage, DataStage):
            lines.append(f"  {stage.dataset.use} to {stage.to}")
            lines += [f"  {line}" for line in data_costs(plan, ("stages", index, "dataset"))]
        elif isinstance(stage, RlStage):
            lines += [f"  {line}" for line in reward_costs(plan, stage)]
    return "\n".join(lines)
