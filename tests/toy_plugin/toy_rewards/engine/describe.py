"""What `run --dry-run` prints of a stage for the toy engine; nothing is started or written."""

from collections.abc import Iterator

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage
from rewardlab_training import stage_dataset

from toy_rewards.engine.options import Options


def describe_stage(plan: Plan, options: Options, index: int) -> Iterator[str]:
    """Yield what a stage will do."""
    stage = plan.recipe.stages[index]
    if isinstance(stage, RlStage):
        dataset, rate = stage_dataset(plan, index).use.use, options.step_size * stage.learning_rate
        much = f"{stage.steps} steps" if stage.steps else f"{stage.epochs:g} passes"
        yield f"policy gradient on {dataset}: {much} of {stage.batch_size} prompts; logits move by {rate:g} x gradient"
        yield f"{stage.batch_size} prompts x {stage.group_size} completions a step; advantages of {stage.algorithm}"
