"""The options under `backend.generation`: what samples the completions of rl in place of the model that trains."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeFloat, PositiveInt, model_validator
from rewardlab import Config

SET_BY_TRL: Mapping[str, str] = {
    "max_num_seqs": "a process's completions of a step",
    "max_num_batched_tokens": "4096",
    "quantization": "that of the weights which train: none, or 4 bits with `backend.quantization`",
}
"""a setting of vLLM that nobody can give to TRL -> what TRL makes of it"""


class RatioCorrection(Config):
    """Importance sampling, truncated or masked, against how far vLLM's probabilities are from the trainer's."""

    level: Literal["token", "seq"] = "token"
    """what is weighed: each token, or a whole sequence"""
    mode: Literal["mask", "clip"] = "mask"
    """outside of the bounds: drop, or clamp to them"""
    bounds: Annotated[list[NonNegativeFloat], Field(min_length=1, max_length=2)] = Field(
        default_factory=lambda: [0.5, 5.0]
    )
    """[low, high], or [high] alone, of the ratio"""


class VllmGeneration(Config):
    """The engine that samples the completions of rl."""

    engine: Literal["vllm"]
    """vLLM, which this environment must have"""
    mode: Literal["colocate", "server"] = "colocate"
    """colocate: in the trainer's processes, on their GPUs. server: a `trl vllm-serve` on GPUs of its own"""
    url: Annotated[str, Field(min_length=1)] | None = None
    """server: where it is, such as http://10.0.0.2:8000"""
    gpu_memory: Annotated[float, Field(gt=0, le=1)] = 0.3
    """colocate: share of a GPU's memory for vLLM"""
    tensor_parallel: PositiveInt = 1
    """colocate: processes whose GPUs share one engine"""
    context: PositiveInt | None = None
    """colocate: tokens of the engine's longest sequence (absent: the model's)"""
    sleep: bool = False
    """colocate: the engine leaves its memory to the trainer while that learns"""
    correction: RatioCorrection | None = None
    """weigh in how far vLLM's probabilities are from the trainer's (changes learning; absent: not)"""

    @model_validator(mode="before")
    @classmethod
    def _not_set_by_trl(cls, given: Any) -> Any:
        for name in SET_BY_TRL:
            if isinstance(given, Mapping) and name in given:
                raise ValueError(
                    f"TRL sets vLLM's {name} itself: {SET_BY_TRL[name]}; verl has actor_rollout_ref.rollout.{name}"
                )
        return given
