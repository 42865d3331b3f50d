"""The settings of a stage rl as fields of TRL's GRPOConfig."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from rewardlab.recipe import RlStage
from rewardlab_training import StageBatches

from rewardlab_trl.generation_options import RatioCorrection, VllmGeneration

FIELDS = {
    "num_iterations": "epochs_per_batch",
    "num_generations": "group_size",
    "max_completion_length": "max_new_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "repetition_penalty": "repetition_penalty",
    "importance_sampling_level": "importance_sampling_level",
    "entropy_coef": "entropy_coef",
    "delta": "dual_clip",
    "beta": "kl.coef",
    "ref_model_mixup_alpha": "kl.mixup_alpha",
}
"""a field -> the stage's key that it is"""
GENERATION = {
    "vllm_mode": "mode",
    "vllm_server_base_url": "url",
    "vllm_gpu_memory_utilization": "gpu_memory",
    "vllm_tensor_parallel_size": "tensor_parallel",
    "vllm_max_model_length": "context",
    "vllm_enable_sleep_mode": "sleep",
}
"""a field -> the option under `backend.generation` that it is"""
LOSSES = {"token_mean": "dapo", "seq_mean": "grpo", "constant": "dr_grpo", "cispo": "cispo"}
"""our `loss` -> TRL's loss_type"""
PAPER_LOSS = {
    "grpo": "seq_mean",
    "dr_grpo": "constant",
    "rloo": "constant",
    "reinforce_baseline": "token_mean",
}
"""algorithm -> the loss nearest to its paper: RLOO sums log-probabilities by sequence, REINFORCE++ averages them"""
OWN = {
    "scale_rewards": "none",
    "shuffle_dataset": False,
    "remove_unused_columns": False,
    "use_bias_correction_kl": False,
}
"""what is the same in every stage: advantages and the order of rows are rewardlab's, and k3 is k3 as on every engine"""


def rl_arguments(stage: RlStage, generation: VllmGeneration | None, processes: int) -> dict[str, Any]:
    """Return the fields that an rl stage sets, beside those of every stage."""
    batches = StageBatches.of(stage, processes)
    low, high = stage.clip
    return {
        **OWN,
        **_read(FIELDS, stage),
        "steps_per_generation": batches.step // processes // batches.micro,
        "top_k": stage.top_k or 0,
        "min_p": stage.min_p or None,  # or a filter that lets all tokens pass runs at each of them
        "loss_type": LOSSES[loss_of(stage)],
        "epsilon": low,
        # of cispo TRL takes the ratio's bound itself, of the others its distance from 1
        "epsilon_high": 1 + high if stage.loss == "cispo" else high,
        "sync_ref_model": stage.kl.sync_every is not None,
        "ref_model_sync_steps": (stage.kl.sync_every or 1) * stage.updates,
        **(_of_vllm(stage, generation) if generation is not None else {"use_vllm": False}),
    }


def loss_of(stage: RlStage) -> str:
    """Return the stage's `loss`, or the one nearest to its algorithm's paper."""
    return stage.loss or PAPER_LOSS[stage.algorithm]


def _of_vllm(stage: RlStage, generation: VllmGeneration) -> dict[str, Any]:
    stop = {"stop": list(stage.stop), "include_stop_str_in_output": True}
    return {
        "use_vllm": True,
        **_read(GENERATION, generation),
        "generation_kwargs": stop if stage.stop else None,
        "vllm_importance_sampling_correction": generation.correction is not None,
        **({} if generation.correction is None else _correction(generation.correction)),
    }


def _correction(correction: RatioCorrection) -> dict[str, Any]:
    level = {"token": "token", "seq": "sequence"}[correction.level]
    mode = {"mask": "mask", "clip": "truncate"}[correction.mode]
    low = correction.bounds[0] if len(correction.bounds) == 2 else None
    return {
        "vllm_importance_sampling_mode": f"{level}_{mode}",
        "vllm_importance_sampling_clip_min": low,
        "vllm_importance_sampling_clip_max": correction.bounds[-1],
    }


def _read(fields: Mapping[str, str], settings: Any) -> dict[str, Any]:
    return {field: attrgetter(key)(settings) for field, key in fields.items()}
