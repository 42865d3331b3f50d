"""The text that `run --dry-run` prints for the backend verl: commands, GPUs, and where papers differ."""

from collections.abc import Iterator
from pathlib import Path

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage, SftStage
from rewardlab_ray.job.planned_stage import (
    TIME,
    continued,
    evaluation_line,
    planned_evaluation_rows,
    planned_model,
    planned_steps,
)
from rewardlab_training import (
    ADVANTAGES,
    clip_text,
    describe_training,
    run_name,
    stage_dataset,
)

from rewardlab_verl.compile import VerlFiles, compile_stage
from rewardlab_verl.compile.batches import ranks_of
from rewardlab_verl.compile.rl import LOSSES, PAPER_LOSS
from rewardlab_verl.compile.stage_files import STEPS
from rewardlab_verl.engine_settings.passed import passed_lines
from rewardlab_verl.options import options_of

LOSS_NOTES = {
    "constant": "a sequence's sum over max_new_tokens, the constant of Dr.GRPO",
    "seq_mean": "the mean of the sequences' means",
    "token_mean": "by the update's tokens",
    "cispo": "by the update's tokens, whose log-probabilities are weighed with the ratio within the clip",
}


def describe_stage(plan: Plan, index: int) -> Iterator[str]:
    """Yield a stage's exact command, its GPUs and what differs; TIME stands for when the run starts."""
    stage, backend = plan.recipe.stages[index], options_of(plan)
    assert isinstance(stage, RlStage | SftStage)
    engine = backend.engine
    rows = str(stage.micro_batch_size) if stage.micro_batch_size else f"up to {engine.tokens_per_gpu} tokens"
    yield from describe_training(plan, index, rows)
    if isinstance(stage, RlStage):
        yield from _rl(plan, index, stage)
    shares = f", with {backend.gpus // engine.tensor_parallel} engine(s) of {engine.rollout} on the same GPUs"
    beside = f", and {backend.scorer_gpus} beside them for scorers" if backend.scorer_gpus else ""
    yield (
        f"GPUs: {backend.gpus} on {backend.nodes} node(s), {ranks_of(backend)} rank(s) of {engine.strategy}"
        f"{shares + beside if isinstance(stage, RlStage) else ''}"
    )
    saved = f"every {stage.save_every} steps and " if stage.save_every else ""
    yield f"a checkpoint {saved}at the end; an interrupted stage goes on from the last one (save_every)"
    files = planned_files(plan, index)
    if files.steps is None:
        rows = stage_dataset(plan, index).use.use
        yield f"the rows of {rows} cannot be counted yet: {STEPS} stands for rows x passes / {stage.batch_size}"
    yield from passed_lines(engine.program(stage.use), engine.arguments_of(stage.use))
    yield from continued(list(compile_stage(plan, index, files).lines()))


def _rl(plan: Plan, index: int, stage: RlStage) -> Iterator[str]:
    yield f"{stage.algorithm}: {ADVANTAGES[stage.algorithm]}"
    if stage.algorithm != "ppo":
        yield "verl's own critic/score and critic/rewards are those advantages; the totals are in the ledger and logs/"
    loss = stage.loss or PAPER_LOSS[stage.algorithm]
    yield f"loss {loss} (verl's {LOSSES[loss]}): {LOSS_NOTES[loss]}"
    yield f"{clip_text(stage)}{'; no dual clip' if stage.dual_clip is None else ''}"
    if stage.importance_sampling_level == "sequence":
        yield "the ratio is that of whole completions, the geometric mean over their tokens (GSPO; verl's gspo)"
    if stage.entropy_coef:
        yield f"entropy bonus {stage.entropy_coef:g}, averaged as the loss is"
    if plan.replaces_groups:
        yield f"prompts are generated for a step in at most {options_of(plan).engine.refill.max_batches} batches"
    if stage.kl.coef:
        kl = stage.kl
        yield f"KL {kl.coef:g} in the {kl.into} ({kl.estimator}), against the model as this stage finds it"
    if stage.algorithm == "ppo":
        yield f"critic: from the policy's weights, learning rate {stage.critic.learning_rate:g}"
    if stage.evaluation is not None:
        yield evaluation_line(plan, index, stage)


def planned_files(plan: Plan, index: int) -> VerlFiles:
    """Return the files of a stage whose run does not exist yet, as far as they can be known."""
    stage = plan.recipe.stages[index]
    assert isinstance(stage, RlStage | SftStage)
    name = f"{index}-{stage.use}"
    run = Path("runs") / f"{run_name(plan)}-{TIME}"
    return VerlFiles(
        model=planned_model(plan, index, run),
        folder=run / "engine" / name,
        checkpoints=run / "checkpoints" / name,
        run_name=f"{run_name(plan)}-{name}",
        job=f"{run.name}/{name}/0",
        steps=planned_steps(plan, index, stage),
        longest=stage.max_prompt_tokens if isinstance(stage, RlStage) else stage.max_tokens,
        evaluation_rows=planned_evaluation_rows(plan, index, stage),
        evaluate_first=isinstance(stage, RlStage) and stage.eval_before,
    )
