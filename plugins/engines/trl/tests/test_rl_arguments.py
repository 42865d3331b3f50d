"""The fields of GRPOConfig that a stage rl and `backend.generation` become."""

from helpers.each_case import each_case
from rewardlab.recipe import RlStage
from rewardlab_trl.generation_options import VllmGeneration
from rewardlab_trl.rl_arguments import rl_arguments

SERVER = {"engine": "vllm", "mode": "server", "url": "http://h:8000"}


def fields(stage=None, generation=None):
    given = {"use": "rl", "algorithm": "grpo", "group_size": 4, "batch_size": 2, **(stage or {})}
    made = RlStage.model_validate(given)
    return rl_arguments(made, None if generation is None else VllmGeneration.model_validate(generation), 1)


@each_case(
    "stage, field, value",
    [
        ({}, "loss_type", "grpo"),
        ({}, "use_vllm", False),
        ({}, "importance_sampling_level", "token"),
        ({"importance_sampling_level": "sequence"}, "importance_sampling_level", "sequence"),
        ({"clip": [0.1, 0.3]}, "epsilon", 0.1),
        ({"clip": [0.1, 0.3]}, "epsilon_high", 0.3),
        ({"loss": "cispo"}, "loss_type", "cispo"),
        ({"loss": "cispo"}, "epsilon_high", 5.0),
        ({"loss": "cispo", "clip": [1, 0.28]}, "epsilon_high", 1.28),
        ({"entropy_coef": 0.01}, "entropy_coef", 0.01),
        ({}, "delta", None),
        ({}, "use_bias_correction_kl", False),
        ({"dual_clip": 3}, "delta", 3),
        ({"min_p": 0.1}, "min_p", 0.1),
        ({"repetition_penalty": 1.1}, "repetition_penalty", 1.1),
        ({}, "sync_ref_model", False),
        ({"kl": {"coef": 0.1, "sync_every": 8}}, "sync_ref_model", True),
        ({"kl": {"coef": 0.1, "sync_every": 8}, "epochs_per_batch": 3}, "ref_model_sync_steps", 24),
        ({"kl": {"coef": 0.1, "sync_every": 8, "mixup_alpha": 1}}, "ref_model_mixup_alpha", 1),
    ],
)
def test_of_the_stage(stage, field, value):
    assert fields(stage)[field] == value


@each_case(
    "generation, field, value",
    [
        ({}, "use_vllm", True),
        ({}, "vllm_mode", "colocate"),
        ({"gpu_memory": 0.4}, "vllm_gpu_memory_utilization", 0.4),
        ({"tensor_parallel": 2}, "vllm_tensor_parallel_size", 2),
        ({"context": 4096}, "vllm_max_model_length", 4096),
        ({"sleep": True}, "vllm_enable_sleep_mode", True),
        (SERVER, "vllm_mode", "server"),
        (SERVER, "vllm_server_base_url", "http://h:8000"),
        ({}, "vllm_importance_sampling_correction", False),
        ({"correction": {}}, "vllm_importance_sampling_correction", True),
        ({"correction": {}}, "vllm_importance_sampling_mode", "token_mask"),
        ({"correction": {"level": "seq", "mode": "clip"}}, "vllm_importance_sampling_mode", "sequence_truncate"),
        ({"correction": {"bounds": [2.0]}}, "vllm_importance_sampling_clip_max", 2.0),
        ({"correction": {"bounds": [2.0]}}, "vllm_importance_sampling_clip_min", None),
        ({"correction": {"bounds": [0.5, 2.0]}}, "vllm_importance_sampling_clip_min", 0.5),
    ],
)
def test_of_the_generation(generation, field, value):
    assert fields({}, {"engine": "vllm", **generation})[field] == value


def test_stop_texts_reach_vllm_too():
    assert fields({"stop": ["###"]}, {"engine": "vllm"})["generation_kwargs"] == {
        "stop": ["###"],
        "include_stop_str_in_output": True,
    }
