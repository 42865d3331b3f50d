"""Names of a stage's settings in other trainers (TRL, OpenRLHF, verl), for users who write those by habit."""

from typing import get_args

from rewardlab.recipe.training_stages import Algorithm

OURS = {
    "learning_rate": "lr actor_learning_rate",
    "schedule": "lr_scheduler_type lr_scheduler lr_schedule",
    "warmup_steps": "lr_warmup_steps num_warmup_steps",
    "warmup_ratio": "lr_warmup_ratio lr_warmup_steps_ratio",
    "max_grad_norm": "max_norm grad_clip clip_grad gradient_clipping",
    "adam_beta2": "beta2 adam_betas betas",
    "micro_batch_size": (
        "per_device_train_batch_size micro_train_batch_size ppo_micro_batch_size ppo_micro_batch_size_per_gpu "
        "gradient_accumulation_steps"
    ),
    "batch_size": "train_batch_size rollout_batch_size prompts_per_step num_prompts",
    "steps": "max_steps total_training_steps train_steps num_steps",
    "epochs": "num_train_epochs total_epochs num_episodes max_epochs n_epochs",
    "save_every": "save_steps save_freq save_interval",
    "eval_every": "eval_steps test_freq eval_interval",
    "group_size": "num_generations n_samples_per_prompt n num_samples rollout_n num_return_sequences",
    "max_new_tokens": (
        "max_completion_length generate_max_len max_response_length response_length max_completion_tokens max_tokens"
    ),
    "max_prompt_tokens": "max_prompt_length prompt_max_len",
    "max_tokens": "max_length max_seq_length max_len seq_length",
    "updates_per_batch": "num_mini_batches steps_per_generation",
    "epochs_per_batch": "num_iterations ppo_epochs",
    "min_learning_rate": "min_lr min_lr_ratio min_lr_rate",
    "stop": "stop_strings stop_sequences stop_words",
    "algorithm": "advantage_estimator adv_estimator",
    "loss": "loss_type loss_agg_mode policy_loss policy_loss_type loss_mode",
    "importance_sampling_level": "is_level ratio_level",
    "entropy_coef": "entropy_coeff entropy_bonus entropy_loss_coef ent_coef",
    "agent.max_turns": "max_tool_calling_iterations max_assistant_turns",
    "agent.use": "environment_factory agent_func_path default_agent_loop",
    "agent.tools": "tool_config_path",
    "arguments": "extra_args training_args trainer_args config_overrides",
    "clip": "epsilon epsilon_high epsilon_low eps_clip eps_clip_low_high clip_ratio cliprange clip_range",
    "dual_clip": "clip_ratio_c delta clip_ratio_dual eps_clip_c",
    "kl.coef": "beta init_kl_coef kl_coef kl_loss_coef kl_beta",
    "kl.sync_every": "sync_ref_model ref_model_sync_steps",
    "kl.mixup_alpha": "ref_model_mixup_alpha",
    "kl.estimator": "kl_estimator kl_loss_type kl_penalty",
    "critic.learning_rate": "critic_learning_rate critic_lr",
    "on_truncated": "mask_truncated_completions overlong_filtering",
}
"""our setting -> its names elsewhere"""
NAMES_OF_VALUES = {
    "algorithm": {"grpo": "group_norm", "ppo": "gae", "reinforce_baseline": "reinforce++ reinforce_plus_plus_baseline"},
    "loss": {"token_mean": "dapo token-mean", "seq_mean": "grpo seq-mean-token-mean", "constant": "dr_grpo"},
}
"""a setting: our value -> its names elsewhere"""
OTHER_ALGORITHMS = {
    "dapo": (
        "write preset: dapo in its place, which is algorithm: grpo, clip: [0.2, 0.28], loss: token_mean and its sizes; "
        "DAPO also has a component format/overlong, and replaces flat groups (reward.teach, or a `sampler` that "
        "samples on)"
    ),
    "gspo": (
        "write preset: gspo in its place, which is algorithm: grpo, loss: seq_mean, importance_sampling_level: "
        "sequence and clip: [0.0003, 0.0004]"
    ),
    "cispo": "write preset: cispo in its place, which is algorithm: grpo, loss: cispo and clip: [1, 4]",
}
"""algorithms that are no value of ours -> how a recipe says them"""


MOVED = {
    **dict.fromkeys(("zero_variance_groups", "on_flat"), "write reward.teach: {flat: drop} in its place"),
    **dict.fromkeys(
        ("dynamic_filtering", "filter_groups", "dynamic_sampling", "filter_zero_variance"),
        "write reward.teach: {flat: replace} in its place, and in it the outcome as `by`, bounds of its mean as "
        "`between`; how much verl may generate is backend.engine.refill",
    ),
}
"""a setting under which other trainers, or earlier recipes, say which groups teach -> how a recipe says it"""


def our_value(setting: str, other: str) -> str | None:
    """Return the end of a message about a value of a stage's setting that another trainer has, or another paper."""
    if setting == "algorithm" and (how := OTHER_ALGORITHMS.get(other.lower())):
        return f"; {how}"
    named = NAMES_OF_VALUES.get(setting, {}).items()
    return next((f"; did you mean {value!r}?" for value, others in named if other.lower() in others.split()), None)


def our_name(other: str, known: set[str]) -> str | None:
    """Return our name of a setting, such as "kl.coef"; None if no known setting has that name."""
    called = (setting for setting, others in OURS.items() if other in others.split())
    return next((setting for setting in called if setting.partition(".")[0] in known), None)


def our_stage(other: str) -> str | None:
    """Return how a stage is written whose `use` names an algorithm; None for other names."""
    tidy = other.lower().replace("-", "_").removesuffix("_trainer")
    if tidy in OTHER_ALGORITHMS:
        return f"write use: rl; {OTHER_ALGORITHMS[tidy]}"
    return f"write use: rl, and algorithm: {tidy}" if tidy in get_args(Algorithm) else None
