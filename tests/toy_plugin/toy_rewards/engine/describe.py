"""What `run --dry-run` prints for the toy engine; nothing is started or written."""

from collections.abc import Iterator

from rewardlab.plan import Plan
from rewardlab.recipe import DataStage, EvalStage, RlStage, Stage
from rewardlab.training import (
    data_costs,
    describe_evaluation,
    describe_length,
    reward_costs,
    shaped_line,
    total_lines,
)

from toy_rewards.engine.options import Options


def describe(plan: Plan, options: Options, only: int | None) -> str:
    """Return what all stages will do, or stage `only`, as text."""
    lines = [f"backend toy, in this process: a policy over {len(options.answers)} answers", *total_lines(plan)]
    for index, stage in enumerate(plan.recipe.stages):
        if only in (None, index):
            lines += [f"stage {index}: {stage.use}", *(f"  {line}" for line in _stage(plan, options, index, stage))]
    return "\n".join(lines)


def _stage(plan: Plan, options: Options, index: int, stage: Stage) -> Iterator[str]:
    if isinstance(stage, DataStage):
        yield f"{stage.dataset.use} to {stage.to}"
        yield from data_costs(plan, ("stages", index, "dataset"))
    elif isinstance(stage, RlStage):
        dataset, rate = plan.stage_dataset(index).use.use, options.step_size * stage.learning_rate
        yield f"policy gradient on {dataset}: {describe_length(stage, 'prompts')}; logits move by {rate:g} x gradient"
        yield f"{stage.batch_size} prompts x {stage.group_size} completions a step; advantages of {stage.algorithm}"
        yield from shaped_line(plan, stage)
        yield from reward_costs(plan, stage)
    elif isinstance(stage, EvalStage):
        yield from describe_evaluation(plan, index)
