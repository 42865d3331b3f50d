"""Lines of `run --dry-run` that are the same for every engine."""

from collections.abc import Iterator

from rewardlab.placement import environment_words
from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage, SftStage


def total_lines(plan: Plan) -> Iterator[str]:
    """The total, its range, and the components."""
    if plan.expression is None or plan.total_range is None:
        return
    yield f"total {plan.expression.text} in [{plan.total_range[0]:g}, {plan.total_range[1]:g}]"
    for name, planned in plan.components.items():
        spec = planned.spec
        low, high = spec.range
        where = environment_words(plan, planned)
        yield f"  {name}: {planned.use.use}, {spec.scope} scope, [{low:g}, {high:g}], runs {spec.runs}{where}"


def model_line(plan: Plan) -> str:
    """The model's name, or what a tiny one is."""
    model = plan.recipe.model
    if model is None or isinstance(model, str):
        return str(model)
    return f"tiny Llama, {model.layers} layers of {model.hidden_size}, built here"


def shaped_line(plan: Plan, stage: RlStage) -> Iterator[str]:
    """What normalizers make of the total's range."""
    shaped = plan.shaped_range(stage.group_size)
    if plan.normalizers and shaped is not None:
        chain = ", ".join(n.use.use for n in plan.normalizers)
        yield f"shaped by {chain}: in [{shaped[0]:.3g}, {shaped[1]:.3g}]"


def clip_note(stage: RlStage) -> str:
    """Where the clip has no effect."""
    return "" if stage.updates_per_batch > 1 else " (without effect: one update a batch is on-policy)"


def length(stage: SftStage | RlStage | DpoStage, unit: str) -> str:
    """ "500 steps of 32 prompts"."""
    much = f"{stage.steps} steps" if stage.steps else f"{stage.epochs:g} passes"
    return f"{much} of {stage.batch_size} {unit}"


def optimiser(stage: SftStage | RlStage | DpoStage) -> str:
    """The optimizer and its rate."""
    return f"AdamW, learning rate {stage.learning_rate:g} {stage.schedule}, {stage.warmup_steps} warm-up steps"
