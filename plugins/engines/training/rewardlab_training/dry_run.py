"""The text of `run --dry-run`: what is the same for every engine, and where an engine adds its own lines."""

import json
from collections.abc import Iterator

from rewardlab.plan import Component, Plan
from rewardlab.recipe import (
    PRESETS,
    Agent,
    Chat,
    DataStage,
    DpoStage,
    EvalStage,
    RlStage,
    SftStage,
    Stage,
    TokenSampling,
)
from rewardlab.text import counted
from rewardlab.workers import environment_of, managed

from rewardlab_training.advantages import whitens
from rewardlab_training.backend import Backend
from rewardlab_training.costs import data_costs, describe_evaluation, reward_costs
from rewardlab_training.judge_costs import cost_lines, judge_costs
from rewardlab_training.row_counts import repeated_readings, uncounted_rows
from rewardlab_training.stage_batches import StageBatches
from rewardlab_training.stage_datasets import stage_dataset

FLAT_GROUPS = {
    "keep": "every group is in the loss, one whose totals are all equal with advantages of 0",
    "drop": "groups whose {} are left out of the loss, whatever their totals are",
    "replace": "groups whose {} are left out, whatever their totals are, and other prompts take their place",
}
"""value of `reward.teach.flat` -> what it does"""
CHAT = {
    "system": "before every prompt without a system message",
    "template": "in place of the tokenizer's chat template",
    "thinking": "enable_thinking of the chat template",
    "arguments": "further variables of the chat template",
}
"""setting of `chat` -> what it does"""
MAX_SHOWN = 80
"""characters of a text of `chat`"""


def describe_run(plan: Plan, backend: Backend, only: int | None) -> str:
    """Return all stages as text, or stage `only`; nothing is started or written."""
    name = "" if plan.backend is None else f" {plan.backend.use.use}"
    lines = [f"backend{name}, {backend.headline(plan)}; seed {plan.recipe.seed}", *total_lines(plan)]
    repeated = dict(repeated_readings(plan, only, limit=None))
    for index, stage in enumerate(plan.recipe.stages):
        if only in (None, index):
            rows = [*uncounted_rows(plan, index, only is not None), *filter(None, [repeated.get(index)])]
            about = [*_describe_stage(plan, backend, index, stage), *rows]
            lines += [f"stage {index}: {stage.use}", *(f"  {line}" for line in about)]
    lines += cost_lines(judge_costs(plan, only))
    return "\n".join(lines)


def _describe_stage(plan: Plan, backend: Backend, index: int, stage: Stage) -> Iterator[str]:
    if isinstance(stage, DataStage):
        yield f"{stage.dataset.use} to {stage.to}"
        yield from data_costs(plan, ("stages", index, "dataset"))
    elif isinstance(stage, EvalStage):
        yield from describe_evaluation(plan, index)
    else:
        yield from backend.describe_stage(plan, index)
        if isinstance(stage, RlStage):
            yield from shaped_line(plan, stage)
            yield from reward_costs(plan, stage)


def total_lines(plan: Plan) -> Iterator[str]:
    """Yield a line with the total and its range, and one for each component; nothing if the recipe has no reward."""
    if plan.expression is None or plan.total_range is None:
        return
    yield f"total {plan.expression.text} in [{plan.total_range[0]:g}, {plan.total_range[1]:g}]"
    for name, planned in plan.components.items():
        spec = planned.spec
        low, high = spec.range
        where = describe_environment(plan, planned)
        yield f"  {name}: {planned.use.use}, {spec.scope} scope, [{low:g}, {high:g}], runs {spec.runs}{where}"


def describe_environment(plan: Plan, planned: Component) -> str:
    """Return the words that say in which environment a component runs; "" if it is the host's."""
    if own := getattr(getattr(planned.options, "environment", None), "python", None):
        return f", with {own}"
    plugin = plan.plugins.get(planned.use.use.partition("/")[0])
    defined = None if plugin is None else environment_of(plugin, planned.spec)
    if defined is None:
        return ""
    environment = managed(defined)
    remark = "" if environment.ready else ", which is built before it is needed"
    return f", in the managed environment {environment.folder.name}{remark}"


def model_line(plan: Plan) -> str:
    """Return the model's name, a description of a tiny one, or "none" if every stage names what it evaluates."""
    model = plan.recipe.model
    if model is None or isinstance(model, str):
        return "none" if model is None else model
    return f"tiny Llama, {model.layers} layers of {model.hidden_size}, built here"


def shaped_line(plan: Plan, stage: RlStage) -> Iterator[str]:
    """Yield a line with the range of shaped rewards; nothing without normalizers or if the range is unknown."""
    shaped = plan.shaped_range(stage.group_size)
    if plan.normalizers and shaped is not None:
        chain = ", ".join(n.use.use for n in plan.normalizers)
        whitened = ", then over the deviation of the step" if whitens(plan) else ""
        yield f"shaped by {chain}: in [{shaped[0]:.3g}, {shaped[1]:.3g}]{whitened}"


def clip_text(stage: RlStage) -> str:
    """Return the bounds of a stage's ratios, with a note if they have no effect as each batch gives one update."""
    low, high = stage.clip
    dual = "" if stage.dual_clip is None else f", dual clip {stage.dual_clip:g}"
    note = "" if stage.updates > 1 else " (without effect: one update a batch is on-policy)"
    return f"clip [{low:g}, {high:g}]{dual}{note}"


def describe_training(plan: Plan, index: int, micro: str) -> Iterator[str]:
    """Yield the lines of a training stage that are the same for every engine, such as "data/jsonl: 500 steps of ...".

    Args:
        micro: the size of a micro-batch, in words.
    """
    stage, dataset = plan.recipe.stages[index], stage_dataset(plan, index).use.use
    if isinstance(stage, RlStage):
        yield from preset_lines(stage)
        yield f"{dataset}: {_length(stage)}; {_optimizer(stage)}"
        yield (
            f"{counted(stage.batch_size, 'prompt')} x {stage.group_size} = {stage.batch_size * stage.group_size} "
            f"completions a step, {_updates(stage)}, micro-batches of {micro}; {_sampling(stage)}"
        )
        if stage.agent is not None:
            yield _agent_line(stage.agent)
        yield teach_line(plan)
    elif isinstance(stage, SftStage | DpoStage):
        yield f"{dataset}: {_length(stage)}, micro-batches of {micro}; {_optimizer(stage)}"
    if isinstance(stage, RlStage | SftStage | DpoStage):
        yield from chat_lines(stage.chat)


def teach_line(plan: Plan) -> str:
    """Return which groups teach."""
    reward = plan.recipe.reward
    assert reward is not None  # rl needs one
    teach, outcome = reward.teach, f"{reward.outcome} is equal for all"
    if teach.between is not None:
        outcome += f", or has a mean that is not between {teach.between[0]:g} and {teach.between[1]:g},"
    return f"teach.flat {teach.flat}: {FLAT_GROUPS[teach.flat].format(outcome)}"


def _agent_line(agent: Agent) -> str:
    """Return what plays a stage's turns, with which tools."""
    tools = f"calls {', '.join(agent.tools)}" if agent.tools else "has the tools of its environment"
    turns = "" if agent.max_turns is None else f", in at most {counted(agent.max_turns, 'turn')}"
    played = "the engine's own loop" if agent.use is None else agent.use
    return f"agent: the policy {tools}{turns}, played by {played}; the reward scores whole conversations"


def preset_lines(stage: RlStage) -> Iterator[str]:
    """Yield the keys for which a stage's preset stands, those that the stage says otherwise, and what it cannot say."""
    if stage.preset is None:
        return
    preset = PRESETS[stage.preset]
    by_key = {key: (value, getattr(stage, key)) for key, value in preset.keys.items()}
    kept = ", ".join(f"{key} {_shown(value)}" for key, (value, actual) in by_key.items() if value == actual)
    yield f"preset {stage.preset} (arXiv {preset.paper}): {kept}"
    if changed := [
        f"{key} {_shown(actual)} for {_shown(value)}" for key, (value, actual) in by_key.items() if value != actual
    ]:
        yield f"  but for what the recipe says: {', '.join(changed)}"
    if preset.beside:
        yield f"  in the paper, beside it: {preset.beside}"


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def chat_lines(chat: Chat) -> Iterator[str]:
    """Yield a line for each thing that a recipe says of how prompts become text; nothing if it says nothing."""
    for name in Chat.model_fields:
        if (value := getattr(chat, name)) not in (None, {}):
            text = json.dumps(value, ensure_ascii=False)
            yield f"chat.{name} {text if len(text) <= MAX_SHOWN else f'{text[:MAX_SHOWN]} ...'}: {CHAT[name]}"


def _length(stage: SftStage | RlStage | DpoStage) -> str:
    """Return the length of a stage, such as "500 steps of 32 prompts"."""
    unit = "prompts" if isinstance(stage, RlStage) else StageBatches.of(stage).unit
    much = counted(stage.steps, "step") if stage.steps else f"{stage.epochs:g} passes"
    return f"{much} of {stage.batch_size} {unit}"


def _optimizer(stage: SftStage | RlStage | DpoStage) -> str:
    end = f" to {stage.min_learning_rate:g}" if stage.min_learning_rate else ""
    warm_up = f"{stage.warmup_steps} warm-up steps"
    if stage.warmup_ratio is not None:
        warm_up = f"warm-up over {stage.warmup_ratio:.3g} of the steps"
    return f"AdamW, learning rate {stage.learning_rate:g} {stage.schedule}{end}, {warm_up}"


def _updates(stage: RlStage) -> str:
    passes = f" in each of {stage.epochs_per_batch} passes" if stage.epochs_per_batch > 1 else ""
    return f"{stage.updates_per_batch} update(s){passes}"


def _sampling(stage: RlStage) -> str:
    return f"at most {stage.max_new_tokens} new tokens at {_drawn(stage, stage.temperature)}"


def evaluation_sampling(stage: RlStage, sets: str) -> str:
    """Return what the evaluation of a stage samples, such as "3 completions a prompt of SETS at temperature 0.6"."""
    assert stage.evaluation is not None
    own = stage.evaluation.temperature
    drawn = _drawn(stage.evaluation_sampling, stage.temperature if own is None else own)
    return f"{stage.evaluation.samples} completions a prompt of {sets} at {drawn}"


def _drawn(stage: TokenSampling, temperature: float) -> str:
    text = f"temperature {temperature:g}"
    text += f", top_p {stage.top_p:g}" if stage.top_p < 1 else ""
    text += f", top_k {stage.top_k}" if stage.top_k else ""
    text += f", min_p {stage.min_p:g}" if stage.min_p else ""
    text += f", repetition_penalty {stage.repetition_penalty:g}" if stage.repetition_penalty != 1 else ""
    return text + (f", up to {' or '.join(map(repr, stage.stop))}" if stage.stop else "")
