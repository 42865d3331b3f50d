"""The text that `run --dry-run` prints for the openrlhf backend: commands, GPUs, and where papers differ."""

import math
from collections.abc import Iterator

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab_ray.job.planned_stage import continued, evaluation_line
from rewardlab_training import ADVANTAGES, clip_text, describe_training, stage_dataset

from rewardlab_openrlhf.compile import Command, compile_stage
from rewardlab_openrlhf.compile.batches import batches
from rewardlab_openrlhf.compile.clipping import clip_range
from rewardlab_openrlhf.compile.command import WANDB_KEY
from rewardlab_openrlhf.compile.extra_arguments import extra_argument_lines
from rewardlab_openrlhf.compile.rl import ESTIMATORS, LOSSES, PAPER_LOSS
from rewardlab_openrlhf.dry_run.files import dry_run_files
from rewardlab_openrlhf.layout import StageLayout, layout_of
from rewardlab_openrlhf.memory import memory_lines
from rewardlab_openrlhf.options import Options, options_of
from rewardlab_openrlhf.stage_files import ROWS, STEPS, UPDATES, TrainingStage, training_stage

LOSS_NOTES = {
    "dr_grpo": "the nearest that OpenRLHF has: the paper divides by a constant length, this by the update's tokens",
    "rloo": "the nearest that OpenRLHF has: the paper adds up a sequence's log-probabilities",
}
"""algorithm -> how the loss of PAPER_LOSS differs from the paper's"""


def describe_stage(plan: Plan, index: int) -> Iterator[str]:
    """Yield a stage's exact command, its GPUs and what differs; TIME stands for when the run starts."""
    stage = training_stage(plan, index)
    layout = layout_of(options_of(plan), stage)
    yield from _rl(plan, index, stage, layout) if isinstance(stage, RlStage) else _sft_dpo(plan, index, stage, layout)
    yield from _resources(options_of(plan), layout)
    yield from memory_lines(plan, stage, layout)
    if options_of(plan).engine.wandb:
        yield f"Weights & Biases: project {options_of(plan).engine.wandb}, key from {WANDB_KEY} on the nodes"
    yield _checkpoints(stage)
    yield from _command(plan, index, stage)


def _checkpoints(stage: TrainingStage) -> str:
    if stage.save_every is None:
        return "no checkpoint before its end: an interrupted stage begins anew (save_every)"
    return f"a checkpoint every {stage.save_every} steps, from which an interrupted stage goes on"


def _sft_dpo(plan: Plan, index: int, stage: SftStage | DpoStage, layout: StageLayout) -> Iterator[str]:
    yield from describe_training(plan, index, str(batches(plan, stage, layout).micro))
    if not isinstance(stage, SftStage):
        yield f"DPO with beta {stage.beta:g} against the model as this stage finds it"
    if options_of(plan).tensorboard and options_of(plan).engine.wandb:
        yield "no TensorBoard in this stage: OpenRLHF does not write it together with Weights & Biases here"


def _rl(plan: Plan, index: int, stage: RlStage, layout: StageLayout) -> Iterator[str]:
    yield from describe_training(plan, index, _micro_batches(plan, stage, layout))
    yield f"{stage.algorithm} (OpenRLHF's {ESTIMATORS[stage.algorithm]}): {ADVANTAGES[stage.algorithm]}"
    loss = stage.loss or PAPER_LOSS[stage.algorithm]
    why = "" if stage.loss else f", {LOSS_NOTES.get(stage.algorithm, 'the nearest to its paper')}"
    yield f"loss {loss} (OpenRLHF's {LOSSES[loss]}){why}"
    yield clip_text(stage)
    if stage.importance_sampling_level == "sequence":
        yield "the ratio is that of whole completions, the geometric mean over their tokens (OpenRLHF's gspo)"
    if stage.entropy_coef:
        yield f"entropy bonus {stage.entropy_coef:g}, averaged as the loss is"
    clip = clip_range(plan, stage)
    assert clip is not None  # `check` refuses rewards of no known range
    yield f"OpenRLHF's own clip of rewards is set to [{clip[0]:g}, {clip[1]:g}], beyond every value that they can have"
    if stage.kl.coef:
        yield _kl(stage, loss)
    if stage.algorithm == "ppo":
        critic = stage.critic
        yield f"critic: as large as the policy and from its weights, learning rate {critic.learning_rate:g}"
    yield from _differences(plan, index, stage)


def _kl(stage: RlStage, loss: str) -> str:
    kl = stage.kl
    weak = ", which has no effect on average: use k2 or k3" if (kl.into, kl.estimator) == ("loss", "k1") else ""
    mean = (
        ", averaged over the update's tokens though the loss is not" if (kl.into, loss) == ("loss", "seq_mean") else ""
    )
    return f"KL {kl.coef:g} in the {kl.into} ({kl.estimator}{weak}){mean}, against the model as this stage finds it"


def _micro_batches(plan: Plan, stage: RlStage, layout: StageLayout) -> str:
    rows = batches(plan, stage, layout)
    if rows.tokens is not None:
        return f"up to {rows.tokens} tokens"
    alike = "" if rows.micro == rows.rollout_micro else f" ({rows.rollout_micro} for log-probabilities)"
    return f"{rows.micro} completions{alike}"


def _differences(plan: Plan, index: int, stage: RlStage) -> Iterator[str]:
    """Yield what differs from other backends, or from what one may expect."""
    engine = options_of(plan).engine
    if stage.evaluation is not None:
        yield evaluation_line(plan, index, stage)
        yield _pass_rates(plan)
    if engine.asynchronous is not None:
        ahead = engine.asynchronous.queue + math.ceil((engine.generate_batch or 1) / stage.batch_size) - 1
        within = ", and change in the middle of completions" if engine.asynchronous.partial_rollouts else ""
        yield f"asynchronous: completions are from weights up to {ahead} step(s) older{within}"
    if plan.replaces_groups:
        yield (
            "prompts that take the place of others are those of the stage, so that its steps become fewer (and a rate "
            "that decays does not come to its end)"
        )
    if engine.correction is not None:
        yield "importance sampling against the rollout engine's probabilities changes the loss"
        if stage.top_p < 1 or stage.top_k:
            yield "it weighs what top_p and top_k cut off, too: the engine's probabilities are those after the cut"


def _pass_rates(plan: Plan) -> str:
    """Return what the pass rates are that OpenRLHF logs of its evaluations."""
    assert plan.recipe.reward is not None
    component = plan.recipe.reward.correctness or plan.recipe.reward.teach.by
    if component is None:
        return "OpenRLHF's eval_..._pass1 is the mean total, and no pass rate without `reward.correctness`"
    return f"OpenRLHF's eval_..._pass1 is the mean of {component}, pass<k> that of the best of k completions"


def _resources(backend: Options, layout: StageLayout) -> Iterator[str]:
    parts = [f"{layout.ranks} trainer rank(s){_shared(layout)}"]
    if layout.engine_gpus:
        parts.append(f"{layout.engine_gpus} for {layout.engines} rollout engine(s) of {layout.tensor_parallel}")
    if layout.critic_gpus:
        parts.append(f"{layout.critic_gpus} for the critic")
    if layout.scorers:
        held = f" (and {layout.held} beside them idle: less than an engine of one node needs)" if layout.held else ""
        parts.append(f"{layout.scorers} for {backend.scorers.replicas} scorer(s){held}")
    if idle := layout.idle - layout.held:
        parts.append(f"{idle} idle")
    of_nodes = f" of {backend.nodes}" if layout.nodes < backend.nodes else ""
    yield f"GPUs: {layout.gpus} on {layout.nodes}{of_nodes} node(s): {', '.join(parts)}"
    if layout.ring > 1:
        yield f"ring attention: {layout.ring} ranks share each sequence"


def _shared(layout: StageLayout) -> str:
    """Return who uses the ranks' GPUs besides the policy, as the end of a sentence; empty if nobody does."""
    others = ["the reference"] if layout.reference else []
    if layout.colocated:
        others += ["the critic"] if layout.critic else []
        others.append(f"{layout.engines} rollout engine(s) of {layout.tensor_parallel}")
    return f" that share theirs with {' and '.join(others)}" if others else ""


def _command(plan: Plan, index: int, stage: TrainingStage) -> Iterator[str]:
    files = dry_run_files(plan, index)
    command = compile_stage(plan, index, files)
    if files.steps is None:
        yield _unknown_numbers(plan, index, stage, command)
    elif not stage.steps:
        yield f"{files.steps} steps, if every row's prompt fits"
    yield from extra_argument_lines(stage, options_of(plan).engine.arguments)
    yield from continued(list(command.lines()))


def _unknown_numbers(plan: Plan, index: int, stage: TrainingStage, command: Command) -> str:
    """Return what the words stand for that the command has in place of numbers."""
    rl = stage if isinstance(stage, RlStage) else None
    words = f"{STEPS} stands for the rows that fit x {stage.epochs:g} / {stage.batch_size}, rounded up"
    words += f"; {ROWS} for {STEPS} x {stage.batch_size}"
    if rl is not None and rl.evaluation is not None:
        words += ", or the prompts to evaluate on if these are more"
    if any(UPDATES in argument for argument in command.arguments):
        words += f"; {UPDATES} for {STEPS} x {1 if rl is None else rl.updates}"
    return f"the rows of {stage_dataset(plan, index).use.use} cannot be counted yet: {words}"
