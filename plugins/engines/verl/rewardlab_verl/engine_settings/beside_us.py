"""Settings of verl that a recipe cannot pass on: what says them in a recipe, or why they would do nothing here."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

RECIPE: Mapping[str, str] = {
    "model_engine": "backend.engine.strategy",
    "data.train_batch_size": "stages.N.batch_size",
    "data.max_prompt_length": "stages.N.max_prompt_tokens",
    "data.max_response_length": "stages.N.max_new_tokens",
    "data.max_length": "stages.N.max_tokens",
    "data.filter_overlong_prompts*": "stages.N.max_prompt_tokens, which leaves longer ones out",
    "data.*shuffle": "curriculum",
    "*seed": "seed",
    "data.tokenizer": "model",
    "data.use_dynamic_bsz": "stages.N.micro_batch_size, or backend.engine.tokens_per_gpu",
    "data.micro_batch_size_per_gpu": "stages.N.micro_batch_size",
    "data.max_token_len_per_gpu": "backend.engine.tokens_per_gpu",
    "*.apply_chat_template_kwargs*": "stages.N.chat; prompts are whole texts already",
    "*custom_chat_template": "stages.N.chat.template",
    "*model.path": "model",
    "*model.hf_config_path": "model",
    "*model.*tokenizer_path": "model",
    "*model.enable_gradient_checkpointing": "backend.gradient_checkpointing",
    "*.use_remove_padding": "backend.engine.packing",
    "*model.override_config.attn_implementation": "backend.engine.attention",
    "*model.lora_*": "backend.engine.lora",
    "*model.target_modules": "backend.engine.lora.targets",
    "*optim.lr": "stages.N.learning_rate",
    "*optim.betas": "stages.N.adam_beta2",
    "*optim.weight_decay": "stages.N.weight_decay",
    "*optim.lr_warmup_*": "stages.N.warmup_steps or warmup_ratio",
    "*optim.warmup_style": "stages.N.schedule",
    "*optim.lr_scheduler_type": "stages.N.schedule",
    "*optim.lr_decay_style": "stages.N.schedule",
    "*optim.min_lr*": "stages.N.min_learning_rate",
    "*optim.total_training_steps": "stages.N.steps",
    "*optim.clip_grad": "stages.N.max_grad_norm",
    "*.grad_clip": "stages.N.max_grad_norm",
    "*.param_offload": "backend.engine.offload_parameters",
    "*.optimizer_offload": "backend.engine.offload_optimizer",
    "*.ulysses_sequence_parallel_size": "backend.engine.sequence_parallel",
    "*.strategy": "backend.engine.strategy",
    "*megatron.tensor_model_parallel_size": "backend.engine.megatron.tensor_parallel",
    "*megatron.pipeline_model_parallel_size": "backend.engine.megatron.pipeline_parallel",
    "*megatron.context_parallel_size": "backend.engine.megatron.context_parallel",
    "engine.tensor_model_parallel_size": "backend.engine.megatron.tensor_parallel",
    "engine.pipeline_model_parallel_size": "backend.engine.megatron.pipeline_parallel",
    "engine.context_parallel_size": "backend.engine.megatron.context_parallel",
    "*.mixed_precision*": "backend.precision",
    "*.model_dtype": "backend.precision",
    "*.dtype": "backend.precision",
    "*actor.rollout_n": "stages.N.group_size",
    "critic.rollout_n": "stages.N.group_size",
    "*rollout.repetition_penalty": "stages.N.repetition_penalty",
    "*.ppo_mini_batch_size": "stages.N.updates_per_batch",
    "*.ppo_epochs": "stages.N.epochs_per_batch",
    "*.ppo_micro_batch_size*": "stages.N.micro_batch_size",
    "*.use_dynamic_bsz": "stages.N.micro_batch_size, or backend.engine.tokens_per_gpu",
    "*.ppo_max_token_len_per_gpu": "backend.engine.tokens_per_gpu",
    "*.log_prob_*": "backend.engine.rollout_micro_batch_size",
    "*actor.clip_ratio*": "stages.N.clip",
    "*actor.clip_ratio_c": "stages.N.dual_clip",
    "*actor.loss_agg_mode": "stages.N.loss",
    "*actor.loss_scale_factor": "stages.N.loss",
    "*actor.use_kl_loss": "stages.N.kl",
    "*actor.kl_loss_*": "stages.N.kl",
    "algorithm.use_kl_in_reward": "stages.N.kl.in",
    "algorithm.kl_penalty": "stages.N.kl.estimator",
    "algorithm.kl_ctrl.kl_coef": "stages.N.kl.coef",
    "algorithm.filter_groups*": "reward.teach",
    "algorithm.adv_estimator": "stages.N.algorithm",
    "algorithm.norm_adv_by_std_in_grpo": "stages.N.algorithm: grpo divides by the deviation, dr_grpo does not; "
    "advantages are made here, and verl's own estimator is off",
    "algorithm.gamma": "stages.N.critic.gamma",
    "algorithm.lam": "stages.N.critic.lambda",
    "critic.enable": "stages.N.algorithm",
    "critic.cliprange_value": "stages.N.critic.value_clip",
    "*rollout.name": "backend.engine.rollout",
    "*rollout.tensor_model_parallel_size": "backend.engine.tensor_parallel",
    "*rollout.gpu_memory_utilization": "backend.engine.gpu_memory",
    "*rollout.enforce_eager": "backend.engine.eager",
    "*rollout.enable_prefix_caching": "backend.engine.prefix_caching",
    "*rollout.max_model_len": "backend.engine.context",
    "*rollout.prompt_length": "stages.N.max_prompt_tokens",
    "*rollout.response_length": "stages.N.max_new_tokens",
    "*rollout.n": "stages.N.group_size",
    "*rollout.temperature": "stages.N.temperature",
    "*rollout.do_sample": "stages.N.temperature",
    "*rollout.top_p": "stages.N.top_p",
    "*rollout.top_k": "stages.N.top_k",
    "*rollout.val_kwargs.*": "stages.N.eval",
    "*rollout.multi_turn.*_tool_path": "stages.N.agent.tools",
    "*rollout.multi_turn.tool_config_path": "stages.N.agent.tools",
    "data.tool_config_path": "stages.N.agent.tools",
    "data.function_tool_path": "stages.N.agent.tools",
    "*rollout.multi_turn.max_assistant_turns": "stages.N.agent.max_turns",
    "*rollout.multi_turn.enable": "stages.N.agent",
    "*rollout.agent.default_agent_loop": "stages.N.agent.use",
    "*rollout.agent.num_workers": "backend.engine.agent_workers",
    "reward.num_workers": "backend.engine.reward_workers",
    "trainer.total_*": "stages.N.steps or epochs",
    "trainer.nnodes": "backend.nodes",
    "trainer.n_gpus_per_node": "backend.gpus_per_node",
    "trainer.save_freq": "stages.N.save_every",
    "trainer.val_only": "a stage `use: eval`, which evaluates and trains nothing",
    "trainer.val_before_train": "stages.N.eval_before",
    "trainer.test_freq": "stages.N.eval_every",
    "trainer.logger": "backend.tensorboard, backend.engine.wandb",
    "trainer.project_name": "backend.engine.wandb",
    "trainer.experiment_name": "name",
    "trainer.max_*ckpt_to_keep": "backend.engine.keep_checkpoints",
}
"""setting -> the key of a recipe that says it; N is the number of the stage. Of several patterns the longest counts"""

REWARDS = "rewards are the recipe's components; a reward model is `reward_model/score`"
ROWS = "rewardlab writes the rows that verl reads; `dataset` says which, and `fields` which of their columns"
TEXTS = "rows hold texts"
SHARES_GPUS = (
    "rollout engines have GPUs of their own only with verl's asynchronous trainers, whose groups train in another step "
    "than the ledger says; with the synchronous one they share the trainer's; openrlhf has `colocate: false`"
)
SAVED = "a checkpoint holds what a resume needs, and with backend.engine.checkpoint_models a model for transformers"
NO_TURNS = "completions are of one turn; `stages.N.agent` names tools, and what plays several"
OF_TURNS = tuple(
    f"actor_rollout_ref.rollout.multi_turn.{name}"
    for name in (
        "format",
        "max_parallel_calls",
        "max_tool_response_length",
        "max_user_turns",
        "tool_response_truncate_side",
    )
)
"""settings that do something where a stage has an agent"""
RESUMED = "`rewardlab run --resume` goes on from the newest checkpoint"

IDLE: Mapping[str, str] = {
    "reward.*": REWARDS,
    "reward.reward_model.*": REWARDS,
    "reward_model.rollout.*": REWARDS,
    "reward_model.*": REWARDS,
    "custom_reward_function.*": REWARDS,
    "sandbox_fusion.*": REWARDS,
    "algorithm.rewardlab*": "rewardlab's own",
    "algorithm.gdpo_*": "advantages are made here; `reward.normalize` has GDPO's",
    "algorithm.*pf_ppo*": "the ledger would call a completion that verl leaves out trained",
    "*rollout.multi_turn*": NO_TURNS,
    "data.tools_key": NO_TURNS,
    "*rollout.agent.*": NO_TURNS,
    "*rollout.mode": "verl 0.9.1 knows `async` alone",
    "*rollout.nnodes": SHARES_GPUS,
    "*rollout.n_gpus_per_node": SHARES_GPUS,
    "actor_rollout_ref.hybrid_engine": SHARES_GPUS,
    "data.image*": TEXTS,
    "data.video_key": TEXTS,
    "data.audio_key": TEXTS,
    "data.mm_processor_kwargs": TEXTS,
    "data.return_*": ROWS,
    "data.*_key": ROWS,
    "data.*_files": ROWS,
    "data.*_max_samples": ROWS,
    "data.custom_cls*": ROWS,
    "data.enable_thinking_default": "rows are token ids already, by `stages.N.chat.thinking`",
    "data.ignore_input_ids_mismatch": "rows are token ids already",
    "data.truncation": "too long prompts are left out, and rows of sft cut, before verl reads them",
    "data.dataloader_num_workers": "the rows are few and small, and come in the recipe's order",
    "data.num_workers": "the rows are few and small, and come in the recipe's order",
    "*rollout.load_format": "weights come from the trainer, and with `backend.engine.lora` the base's from its files",
    "*checkpoint.save_contents": SAVED,
    "*checkpoint.load_contents": SAVED,
    "trainer.resume_*": RESUMED,
    "trainer.default_*_dir": RESUMED,
    "trainer.del_local_ckpt_after_load": RESUMED,
    "trainer.v1.*": "the ledger has verl's synchronous trainer: with another one, or another sampler, a group does not "
    "train in the step for which it is generated, or not at all; openrlhf has `asynchronous`",
    "trainer.use_v1": "rewardlab is for verl's trainers of version 1",
    "transfer_queue.enable": "verl's trainers of version 1 need it",
    "skip.*": "every completion is generated and scored anew",
    "ray_kwargs.*": "rewardlab starts Ray, or the cluster at backend.address runs it",
    "hydra.*": "rewardlab says where verl writes",
}
"""setting -> why it does nothing beside rewardlab, or would break what it keeps"""


def refusal(name: str, turns: bool = False) -> str | None:
    """Return why a recipe cannot pass a setting on, with what does its work; None if it can.

    Args:
        turns: whether a stage has an agent.
    """
    if turns and name in OF_TURNS:
        return None
    reasons = {pattern: f"the recipe says it: {key}" for pattern, key in RECIPE.items()}
    reasons |= {pattern: f"cannot be passed on here: {why}" for pattern, why in IDLE.items()}
    matching = [pattern for pattern in reasons if fnmatchcase(name, pattern)]
    return reasons[max(matching, key=len)] if matching else None
