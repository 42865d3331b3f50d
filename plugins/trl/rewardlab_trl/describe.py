"""The text that `run --dry-run` prints for the trl backend: what TRL will be told, and where papers differ."""

from collections.abc import Iterator

from rewardlab.plan import Plan
from rewardlab.recipe import DataStage, DpoStage, EvalStage, RlStage, SftStage, Stage
from rewardlab.training import (
    clip_note,
    data_costs,
    describe_evaluation,
    describe_length,
    describe_optimiser,
    describe_sampling,
    describe_updates,
    model_line,
    reward_costs,
    shaped_line,
    total_lines,
)

from rewardlab_trl.check import LOSSES, PAPER_LOSS
from rewardlab_trl.options import options_of

NOTES = {
    "grpo": "advantage (r - mean) / std within the group",
    "dr_grpo": "advantage r - mean within the group",
    "rloo": "advantage r - mean of the others; the paper has no clipping, TRL clips the ratio by token",
    "reinforce_baseline": "advantage r - mean within the group, whitened over the batch",
}


def describe(plan: Plan, only: int | None = None) -> str:
    """Return all stages, or stage `only`, as text; the engine runs in this process, so there is no command to show."""
    recipe = plan.recipe
    lines = [f"backend trl, in this process; model {model_line(plan)}; seed {recipe.seed}", *total_lines(plan)]
    if (lora := options_of(plan).lora) is not None:
        modules = "every linear layer" if lora.targets == ["all-linear"] else ", ".join(lora.targets)
        dropout = f", dropout {lora.dropout:g} (none in rl)" if lora.dropout else ""
        lines.append(f"LoRA of rank {lora.rank}, alpha {lora.alpha}{dropout}, in {modules}; merged at a stage's end")
    for index, stage in enumerate(recipe.stages):
        if only not in (None, index):
            continue
        lines += [f"stage {index}: {stage.use}", *(f"  {line}" for line in _stage(plan, index, stage))]
    return "\n".join(lines)


def _stage(plan: Plan, index: int, stage: Stage) -> Iterator[str]:
    if isinstance(stage, DataStage):
        yield f"{stage.dataset.use} to {stage.to}"
        yield from data_costs(plan, ("stages", index, "dataset"))
        return
    if isinstance(stage, SftStage):
        dataset = plan.stage_dataset(index).use.use
        yield f"SFTTrainer on {dataset}: {describe_length(stage, 'rows')}; {describe_optimiser(stage)}"
    elif isinstance(stage, DpoStage):
        dataset = plan.stage_dataset(index).use.use
        yield f"DPOTrainer on {dataset}: {describe_length(stage, 'pairs')}; {describe_optimiser(stage)}"
        yield f"beta {stage.beta:g}, against the model as this stage finds it"
    elif isinstance(stage, RlStage):
        yield from _rl(plan, index, stage)
    elif isinstance(stage, EvalStage):
        yield from describe_evaluation(plan, index)


def _evaluated(plan: Plan, index: int) -> str:
    """Return in words which rows a stage evaluates on: "hard: data/jsonl, ours: data/jsonl (held-out rows)"."""
    return ", ".join(
        f"{name}{': ' if name else ''}{planned.use.use}{' (held-out rows)' if held_out else ''}"
        for name, (planned, held_out) in plan.evaluation_datasets(index).items()
    )


def _rl(plan: Plan, index: int, stage: RlStage) -> Iterator[str]:
    loss = stage.loss or PAPER_LOSS[stage.algorithm]
    completions = stage.batch_size * stage.group_size
    dataset = plan.stage_dataset(index).use.use
    yield f"GRPOTrainer on {dataset}: {describe_length(stage, 'prompts')}; {describe_optimiser(stage)}"
    yield (
        f"{stage.batch_size} prompts x {stage.group_size} = {completions} completions a step, "
        f"{describe_updates(stage)}, micro-batches of "
        f"{stage.micro_batch_size or completions // stage.updates_per_batch}; {describe_sampling(stage)}"
    )
    yield f"{stage.algorithm}: {NOTES[stage.algorithm]}"
    yield from shaped_line(plan, stage)
    why = "" if stage.loss else ", the nearest to its paper"
    low, high = stage.clip
    yield f"loss {loss} (TRL's {LOSSES[loss]}){why}; clip [{low:g}, {high:g}]{clip_note(stage)}"
    if stage.kl.coef:
        yield f"KL {stage.kl.coef:g} in the loss (k3), against the model as this stage finds it"
    yield from reward_costs(plan, stage)
    if stage.evaluation is not None:
        every = f", every {stage.eval_every} steps" if stage.eval_every else ""
        before = "before and " if stage.eval_before else ""
        what = f"{stage.evaluation.samples} completions a prompt of {_evaluated(plan, index)}"
        yield f"evaluated {before}after{every}: {what}"
