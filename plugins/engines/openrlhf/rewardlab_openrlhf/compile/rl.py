"""The arguments of an rl stage for openrlhf.cli.train_ppo_ray: those that decide learning."""

from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.recipe import RlStage

from rewardlab_openrlhf.compile.batches import Batches, batches
from rewardlab_openrlhf.compile.clipping import clip_range
from rewardlab_openrlhf.compile.command import Value
from rewardlab_openrlhf.compile.engine import dataset_path, engine_arguments
from rewardlab_openrlhf.compile.optimiser import critic_optimiser, optimiser
from rewardlab_openrlhf.compile.placement import placement
from rewardlab_openrlhf.layout import layout_of
from rewardlab_openrlhf.options import Engine, options_of
from rewardlab_openrlhf.stage_files import ROWS, STEPS, StageFiles

CENTRES = "dr_grpo"
ESTIMATORS = {
    "grpo": CENTRES,
    "dr_grpo": CENTRES,
    "rloo": CENTRES,
    "reinforce_baseline": CENTRES,
    "ppo": "gae",
}
"""our `algorithm` -> OpenRLHF's advantage estimator

Its rewards are the advantages of `rewardlab_training` already. This one makes the same return of every token from them;
the mean that it subtracts before, job/engine_trainer.py switches off. OpenRLHF's own estimators would divide the
rounding errors of a group without variance by 1e-9, and count the stand-ins of missing values.
"""

LOSSES = {"token_mean": "token-mean", "seq_mean": "seq-mean-token-mean"}
"""our `loss` -> OpenRLHF's aggregation; it has none by a constant length"""

PAPER_LOSS = {
    "grpo": "seq_mean",
    "dr_grpo": "token_mean",
    "rloo": "token_mean",
    "reinforce_baseline": "token_mean",
    "ppo": "token_mean",
}
"""algorithm -> the `loss` of OpenRLHF that is nearest to its paper"""


def rl_arguments(plan: Plan, stage: RlStage, files: StageFiles) -> dict[str, Value]:
    """Return every argument of the stage, by its name without dashes."""
    backend = options_of(plan)
    layout = layout_of(backend, stage)
    sizes = batches(plan, stage, layout, files.longest_prompt)
    updates = None if files.steps is None else files.steps * stage.updates
    arguments = {
        **_files(files),
        "train.max_epochs": stage.epochs_per_batch,
        **_lengths(stage, backend.engine, files),
        **_batches(stage, sizes),
        **_advantage(plan, stage),
        **_loss(stage),
        **optimiser(stage, "actor.", updates),
    }
    if stage.algorithm == "ppo":
        arguments |= {**_critic(stage, files), **critic_optimiser(stage, stage.critic, updates)}
    return {
        **arguments,
        **_evaluation(stage, files),
        **_replaced(plan),
        "actor.gradient_checkpointing_enable": backend.gradient_checkpointing,
        **placement(stage, backend.engine, layout),
        **engine_arguments(plan, stage, files),
        "ckpt.best_metric_key": "none",
    }


def _files(files: StageFiles) -> dict[str, Value]:
    return {
        "actor.model_name_or_path": files.model,
        "train.agent_func_path": str(files.agent),
        "data.prompt_dataset": dataset_path(files.training_rows),
        "data.input_key": "input",
        "data.label_key": "label",
        # OpenRLHF cuts the rows to evaluate on with it, too
        "data.max_samples": ROWS if files.rows is None else max(files.rows, files.evaluation_rows),
        "train.num_episodes": 1,
    }


def _lengths(stage: RlStage, engine: Engine, files: StageFiles) -> dict[str, Value]:
    return {
        "data.max_len": _longest(stage, engine, files),
        "rollout.max_new_tokens": stage.max_new_tokens,
        "rollout.temperature": stage.temperature,
        "rollout.top_p": stage.top_p,
    }


def _longest(stage: RlStage, engine: Engine, files: StageFiles) -> int | str:
    if files.longest_prompt is None:
        return str(engine.context or f"MAX_PROMPT_LENGTH+{stage.max_new_tokens}")  # before the prompts were read
    longest = files.longest_prompt + stage.max_new_tokens
    if engine.context is not None and engine.context < longest:
        raise UserError(
            f"backend.engine.context {engine.context} is less than the longest prompt of {files.longest_prompt} "
            f"tokens and max_new_tokens, {stage.max_new_tokens}"
        )
    return engine.context or longest


def _batches(stage: RlStage, sizes: Batches) -> dict[str, Value]:
    arguments: dict[str, Value] = {
        "rollout.batch_size": stage.batch_size,
        "rollout.n_samples_per_prompt": stage.group_size,
        "rollout.micro_batch_size": sizes.rollout_micro,
        "train.batch_size": sizes.update,
        "train.micro_batch_size": sizes.micro,
    }
    if sizes.tokens is not None:
        arguments |= {
            "train.dynamic_batch_enable": True,
            "train.max_tokens_per_gpu": sizes.tokens,
            "rollout.max_tokens_per_gpu": sizes.tokens,
        }
    return arguments


def _advantage(plan: Plan, stage: RlStage) -> dict[str, Value]:
    bounds = clip_range(plan, stage)
    assert bounds is not None, "`check` refuses rewards of no known range, which OpenRLHF clips"
    arguments: dict[str, Value] = {
        "algo.advantage.estimator": ESTIMATORS[stage.algorithm],
        "reward.clip_range": list(bounds),
        "algo.kl.init_coef": stage.kl.coef,
    }
    if stage.kl.coef:
        arguments |= {"algo.kl.use_loss": stage.kl.into == "loss", "algo.kl.estimator": stage.kl.estimator}
    correction = options_of(plan).engine.correction
    if correction is not None:
        arguments |= {
            "algo.advantage.is_correction_level": correction.level,
            "algo.advantage.is_correction_mode": correction.mode,
            "algo.advantage.is_correction_gating": correction.gating,
            "algo.advantage.is_correction_threshold": list(correction.bounds),
        }
    return arguments


def _loss(stage: RlStage) -> dict[str, Value]:
    return {
        "actor.loss_agg_mode": LOSSES[stage.loss or PAPER_LOSS[stage.algorithm]],
        "actor.eps_clip_low_high": list(stage.clip),
        "actor.dual_clip": stage.dual_clip,
        "actor.policy_loss_type": "gspo" if stage.importance_sampling_level == "sequence" else None,
        "actor.entropy_coef": stage.entropy_coef or None,
    }


def _critic(stage: RlStage, files: StageFiles) -> dict[str, Value]:
    return {
        # the same text as the policy's: that is how OpenRLHF knows that the value head is a new one
        "critic.model_name_or_path": files.model,
        "critic.value_clip": stage.critic.value_clip,
        "algo.advantage.lambd": stage.critic.lambda_,
        "algo.advantage.gamma": stage.critic.gamma,
    }


def _evaluation(stage: RlStage, files: StageFiles) -> dict[str, Value]:
    evaluation = stage.evaluation
    if evaluation is None or files.evaluation is None:
        return {}
    return {
        "eval.dataset": dataset_path(files.evaluation),
        "eval.steps": stage.eval_every or files.steps or STEPS,
        "eval.n_samples_per_prompt": evaluation.samples,
        "eval.temperature": evaluation_temperature(stage),
    }


def evaluation_temperature(stage: RlStage) -> float:
    """Return the temperature at which a stage with `eval` is evaluated."""
    own = None if stage.evaluation is None else stage.evaluation.temperature
    return stage.temperature if own is None else own


def _replaced(plan: Plan) -> dict[str, Value]:
    """Return what leaves out the groups whose scores, 0 and 1 if they teach, have a mean of 0."""
    if not plan.replaces_groups:
        return {}
    return {"algo.dynamic_filtering_enable": True, "algo.dynamic_filtering_range": [0.0, 1.0]}
