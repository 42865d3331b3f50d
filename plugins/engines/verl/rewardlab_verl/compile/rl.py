"""The settings of an rl stage for verl.trainer.main_ppo."""

from pathlib import Path

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage
from rewardlab_training import whitening, whitens

from rewardlab_verl.agent_tools import yaml_of
from rewardlab_verl.compile.batches import critic_batches, ranks_of, reward_workers, rl_batches
from rewardlab_verl.compile.command import Value
from rewardlab_verl.compile.stage_files import LONGEST, STEPS, VerlFiles
from rewardlab_verl.compile.trainer import (
    DTYPES,
    model_settings,
    optimizer_settings,
    run_settings,
    saved_parts,
    sharding_settings,
    warmup_of,
)
from rewardlab_verl.options import options_of

MODEL, ACTOR, REF, ROLLOUT = (f"actor_rollout_ref.{part}" for part in ("model", "actor", "ref", "rollout"))
LOSSES = {
    "token_mean": "token-mean",
    "seq_mean": "seq-mean-token-mean",
    "constant": "seq-mean-token-sum-norm",
    "cispo": "token-mean",
}
"""our `loss` -> verl's aggregation; that of `constant` divides by `loss_scale_factor`, the constant of Dr.GRPO"""
PAPER_LOSS = {
    "grpo": "seq_mean",
    "dr_grpo": "constant",
    "rloo": "token_mean",
    "reinforce_baseline": "token_mean",
    "ppo": "token_mean",
}
"""algorithm -> the `loss` of its paper, or the nearest"""
NO_DUAL_CLIP = 1e9
"""verl bounds the loss of negative advantages at this probability ratio, too; far beyond what a ratio can be"""


def rl_settings(plan: Plan, stage: RlStage, files: VerlFiles) -> dict[str, Value]:
    """Return every setting of the stage."""
    longest = None if files.longest is None else files.longest + stage.max_new_tokens
    engine = options_of(plan).engine
    settings: dict[str, Value] = {"model_engine": "megatron"} if engine.strategy == "megatron" else {}
    sharded = "megatron" if engine.strategy == "megatron" else "fsdp_config"
    settings |= {
        **_data(stage, files, plan.recipe.seed),
        **rl_batches(plan, stage, longest),
        **_advantages(stage, files, whitening(stage.algorithm, whitens(plan))),
        **_refill(plan, stage, files),
        **_loss(stage),
        **optimizer_settings(plan, stage, f"{ACTOR}.optim", stage.learning_rate, warmup_of(stage, files)),
        **model_settings(plan, files, MODEL),
        **sharding_settings(plan, f"{ACTOR}.{sharded}"),
        **sharding_settings(plan, f"{REF}.{sharded}"),
        f"{ACTOR}.data_loader_seed": plan.recipe.seed,
        f"{ACTOR}.checkpoint.save_contents": saved_parts(plan),
        **_rollout(plan, stage, files),
        **_agent(stage, files),
    }
    if engine.strategy == "fsdp2":
        settings |= {f"{ACTOR}.strategy": "fsdp2", f"{ACTOR}.grad_clip": stage.max_grad_norm}
    if stage.algorithm == "ppo":
        settings |= _critic(plan, stage, files, longest)
    kept = {f"trainer.max_{role}_ckpt_to_keep": engine.keep_checkpoints for role in ("actor", "critic")}
    return settings | _evaluation(stage, files) | run_settings(plan, stage, files) | kept


def evaluation_settings(plan: Plan) -> dict[str, Value]:
    """Return what a stage that only evaluates has instead; verl wants a batch to train on all the same."""
    return {
        "trainer.val_only": True,
        "data.train_batch_size": 1,
        f"{ACTOR}.ppo_mini_batch_size": 1,
        f"{ROLLOUT}.n": ranks_of(options_of(plan)),
    }


def _data(stage: RlStage, files: VerlFiles, seed: int) -> dict[str, Value]:
    return {
        "data.train_files": str(files.rows),
        "data.val_files": str(files.evaluation),
        "data.val_max_samples": files.evaluation_rows or 1,
        "data.shuffle": False,  # the rows are in the recipe's order
        "data.validation_shuffle": False,
        "data.seed": seed,
        "data.dataloader_num_workers": 0,
        "data.max_prompt_length": files.longest or LONGEST,
        "data.max_response_length": stage.max_new_tokens,
    }


def _advantages(stage: RlStage, files: VerlFiles, whitening: int | None) -> dict[str, Value]:
    settings: dict[str, Value] = {
        "reward.reward_manager.name": "rewardlab",
        "+algorithm.rewardlab.job": files.job,
        "+algorithm.rewardlab.whitening": whitening,
        "+algorithm.rewardlab.ends": files.ends,
    }
    for name in ("stop", "min_p", "repetition_penalty"):
        if (value := getattr(stage, name)) != RlStage.model_fields[name].get_default(call_default_factory=True):
            settings[f"+algorithm.rewardlab.{name}"] = value
    if stage.algorithm == "ppo":
        settings |= {
            "algorithm.adv_estimator": "gae",
            "algorithm.gamma": stage.critic.gamma,
            "algorithm.lam": stage.critic.lambda_,
        }
    else:
        settings["algorithm.adv_estimator"] = "rewardlab"
    if stage.kl.coef and stage.kl.into == "reward":
        settings |= {
            "algorithm.use_kl_in_reward": True,
            "algorithm.kl_ctrl.kl_coef": stage.kl.coef,
            "algorithm.kl_penalty": stage.kl.estimator,
        }
    return settings


def _refill(plan: Plan, stage: RlStage, files: VerlFiles) -> dict[str, Value]:
    reward, refill = plan.recipe.reward, options_of(plan).engine.refill
    if reward is None or not plan.replaces_groups:
        return {}
    buffer = "trainer.v1.sampler"
    return {
        "algorithm.filter_groups.enable": True,
        f"{buffer}.custom_sampler.path": "pkg://rewardlab_verl.outcome_buffer",
        f"{buffer}.custom_sampler.name": "OutcomeBuffer",
        f"+{buffer}.sampler_kwargs.job": files.job,
        f"+{buffer}.sampler_kwargs.outcome": reward.outcome,
        f"+{buffer}.sampler_kwargs.batch_size": stage.batch_size,
        f"+{buffer}.sampler_kwargs.max_batches": refill.max_batches,
        f"+{buffer}.sampler_kwargs.at_once": refill.at_once,
    }


def _loss(stage: RlStage) -> dict[str, Value]:
    loss = stage.loss or PAPER_LOSS[stage.algorithm]
    low, high = stage.clip
    settings: dict[str, Value] = {
        f"{ACTOR}.loss_agg_mode": LOSSES[loss],
        f"{ACTOR}.clip_ratio": low,
        f"{ACTOR}.clip_ratio_low": low,
        f"{ACTOR}.clip_ratio_high": high,
        f"{ACTOR}.clip_ratio_c": stage.dual_clip or NO_DUAL_CLIP,
    }
    if loss == "constant":
        settings[f"{ACTOR}.loss_scale_factor"] = stage.max_new_tokens
    if loss == "cispo" or stage.importance_sampling_level == "sequence":
        settings[f"{ACTOR}.policy_loss.loss_mode"] = "cispo" if loss == "cispo" else "gspo"
    if stage.entropy_coef:
        settings[f"{ACTOR}.entropy_coeff"] = stage.entropy_coef
    if stage.kl.coef and stage.kl.into == "loss":
        settings |= {
            f"{ACTOR}.use_kl_loss": True,
            f"{ACTOR}.kl_loss_coef": stage.kl.coef,
            f"{ACTOR}.kl_loss_type": stage.kl.estimator,
        }
    return settings


def _rollout(plan: Plan, stage: RlStage, files: VerlFiles) -> dict[str, Value]:
    backend = options_of(plan)
    engine = backend.engine
    settings: dict[str, Value] = {
        f"{ROLLOUT}.name": engine.rollout,
        f"{ROLLOUT}.dtype": DTYPES[backend.precision],
        f"{ROLLOUT}.tensor_model_parallel_size": engine.tensor_parallel,
        f"{ROLLOUT}.gpu_memory_utilization": engine.gpu_memory,
        f"{ROLLOUT}.enforce_eager": engine.eager,
        f"{ROLLOUT}.enable_prefix_caching": engine.prefix_caching,
        f"{ROLLOUT}.max_model_len": engine.context or _longest_sequence(stage, files),
        f"{ROLLOUT}.seed": plan.recipe.seed,
        f"{ROLLOUT}.temperature": stage.temperature,
        f"{ROLLOUT}.top_p": stage.top_p,
        f"{ROLLOUT}.top_k": stage.top_k or -1,
        f"{ROLLOUT}.agent.num_workers": engine.agent_workers,
        f"{ROLLOUT}.agent.default_agent_loop": "rewardlab",
        f"{ROLLOUT}.agent.agent_loop_config_path": str(files.agent_loops),
        "+algorithm.rewardlab.scorers": backend.scorers.replicas,
        "+algorithm.rewardlab.completion_timeout": engine.barrier.completion_timeout,
        "reward.num_workers": reward_workers(plan, stage, files.evaluation_rows),
    }
    if engine.lora is not None:
        settings[f"{ROLLOUT}.load_format"] = "safetensors"  # the base weights do not come from the trainer
    return settings


def _agent(stage: RlStage, files: VerlFiles) -> dict[str, Value]:
    """Return what verl's own loops need to play, and to go on from a prompt that is rendered here."""
    if (agent := stage.agent) is None:
        return {}
    own, chat = yaml_of(agent), stage.chat
    settings: dict[str, Value] = {
        f"{ROLLOUT}.multi_turn.enable": True,
        f"{ROLLOUT}.multi_turn.max_assistant_turns": agent.max_turns,
        f"{ROLLOUT}.multi_turn.function_tool_path": str(files.tools) if agent.tools != [own] and agent.tools else None,
        f"{ROLLOUT}.multi_turn.tool_config_path": None if own is None else str(Path(own).absolute()),
    }
    if chat.template is not None:
        settings[f"{MODEL}.custom_chat_template"] = chat.template
    return settings | {f"+data.apply_chat_template_kwargs.{name}": value for name, value in chat.variables.items()}


def _longest_sequence(stage: RlStage, files: VerlFiles) -> int | str:
    return f"{LONGEST}+{stage.max_new_tokens}" if files.longest is None else files.longest + stage.max_new_tokens


def _critic(plan: Plan, stage: RlStage, files: VerlFiles, longest: int | None) -> dict[str, Value]:
    critic, engine = stage.critic, options_of(plan).engine
    warmup = -(-critic.warmup_steps // stage.updates) or -1
    settings: dict[str, Value] = {
        "critic.cliprange_value": critic.value_clip,
        "critic.data_loader_seed": plan.recipe.seed,
        **critic_batches(plan, stage, longest),
        **optimizer_settings(plan, stage, "critic.optim", critic.learning_rate, warmup),
        **model_settings(plan, files, "critic.model"),
        **sharding_settings(plan, "critic.megatron" if engine.strategy == "megatron" else "critic.fsdp"),
    }
    if engine.strategy == "fsdp2":
        settings |= {"critic.strategy": "fsdp2", "critic.grad_clip": stage.max_grad_norm}
    return settings


def _evaluation(stage: RlStage, files: VerlFiles) -> dict[str, Value]:
    if stage.evaluation is None or not files.evaluation_rows:
        return {"trainer.val_before_train": False, "trainer.test_freq": -1}
    temperature = stage.temperature if stage.evaluation.temperature is None else stage.evaluation.temperature
    sampling = f"{ROLLOUT}.val_kwargs"
    return {
        f"{sampling}.n": stage.evaluation.samples,
        f"{sampling}.temperature": temperature,
        f"{sampling}.do_sample": temperature > 0,
        f"{sampling}.top_p": stage.evaluation_sampling.top_p,
        f"{sampling}.top_k": stage.evaluation_sampling.top_k or -1,
        "trainer.val_before_train": files.evaluate_first,
        "trainer.test_freq": stage.eval_every or files.steps or STEPS,
    }
