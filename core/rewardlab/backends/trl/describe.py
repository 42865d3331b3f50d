"""What `run --dry-run` prints for the trl backend: what TRL will be told, and where papers differ."""

from collections.abc import Iterator

from rewardlab.backends.trl.check import LOSSES, PAPER_LOSS
from rewardlab.cost_plan import data_costs, reward_costs
from rewardlab.plan import Plan
from rewardlab.recipe import DataStage, DpoStage, RlStage, SftStage

NOTES = {
    "grpo": "advantage (r - mean) / std within the group",
    "dr_grpo": "advantage r - mean within the group",
    "rloo": "advantage r - mean of the others; the paper has no clipping, TRL clips the ratio by token",
    "reinforce_baseline": "advantage r - mean within the group, whitened over the batch",
}


def describe(plan: Plan) -> str:
    """The plan as text; the engine runs in this process, so there is no other command to show."""
    recipe = plan.recipe
    lines = [f"backend trl, in this process; model {_model(plan)}; seed {recipe.seed}"]
    if plan.expression is not None and plan.total_range is not None:
        lines.append(f"total {plan.expression.text} in [{plan.total_range[0]:g}, {plan.total_range[1]:g}]")
        for name, planned in plan.components.items():
            spec = planned.spec
            low, high = spec.range
            lines.append(f"  {name}: {planned.use.use}, {spec.scope} scope, [{low:g}, {high:g}], runs {spec.runs}")
    for index, stage in enumerate(recipe.stages):
        lines += [f"stage {index}: {stage.use}", *(f"  {line}" for line in _stage(plan, index, stage))]
    return "\n".join(lines)


def _model(plan: Plan) -> str:
    model = plan.recipe.model
    if isinstance(model, str):
        return model
    return f"tiny Llama, {model.layers} layers of {model.hidden_size}, built here"


def _stage(plan: Plan, index: int, stage: object) -> Iterator[str]:
    if isinstance(stage, DataStage):
        yield f"{stage.dataset.use} to {stage.to}"
        yield from data_costs(plan, ("stages", index, "dataset"))
        return
    if isinstance(stage, SftStage):
        dataset = plan.stage_dataset(index).use.use
        yield f"SFTTrainer on {dataset}: {_length(stage, 'rows')}; {_optimiser(stage)}"
    elif isinstance(stage, RlStage):
        yield from _rl(plan, index, stage)
    elif not isinstance(stage, DpoStage):
        planned, held_out = plan.evaluation_dataset(index)
        rows = " (held-out rows)" if held_out else ""
        yield f"{stage.samples} completions a prompt of {planned.use.use}{rows}"


def _rl(plan: Plan, index: int, stage: RlStage) -> Iterator[str]:
    loss = stage.loss or PAPER_LOSS[stage.algorithm]
    completions = stage.batch_size * stage.group_size
    dataset = plan.stage_dataset(index).use.use
    yield f"GRPOTrainer on {dataset}: {_length(stage, 'prompts')}; {_optimiser(stage)}"
    yield (
        f"{stage.batch_size} prompts x {stage.group_size} = {completions} completions a step, "
        f"{stage.updates_per_batch} update(s), micro-batches of "
        f"{stage.micro_batch_size or completions // stage.updates_per_batch}; "
        f"at most {stage.max_new_tokens} new tokens at temperature {stage.temperature:g}"
    )
    yield f"{stage.algorithm}: {NOTES[stage.algorithm]}"
    shaped = plan.shaped_range(stage.group_size)
    if plan.normalizers and shaped is not None:
        chain = ", ".join(n.use.use for n in plan.normalizers)
        yield f"shaped by {chain}: in [{shaped[0]:.3g}, {shaped[1]:.3g}]"
    why = "" if stage.loss else ", the nearest to its paper"
    low, high = stage.clip
    yield f"loss {loss} (TRL's {LOSSES[loss]}){why}; clip [{low:g}, {high:g}]{_clip_note(stage)}"
    if stage.kl.coef:
        yield f"KL {stage.kl.coef:g} in the loss (k3), against the model as this stage finds it"
    yield from reward_costs(plan, stage)
    if stage.evaluation is not None:
        every = f", every {stage.eval_every} steps" if stage.eval_every else ""
        yield f"evaluated before and after{every}: {stage.evaluation.samples} completions a prompt"


def _clip_note(stage: RlStage) -> str:
    return "" if stage.updates_per_batch > 1 else " (without effect: one update a batch is on-policy)"


def _length(stage: SftStage | RlStage, unit: str) -> str:
    much = f"{stage.steps} steps" if stage.steps else f"{stage.epochs:g} passes"
    return f"{much} of {stage.batch_size} {unit}"


def _optimiser(stage: SftStage | RlStage) -> str:
    return f"AdamW, learning rate {stage.learning_rate:g} {stage.schedule}, {stage.warmup_steps} warm-up steps"
