"""The options under `backend` of a recipe with `use: openrlhf`: how a job spreads over GPUs, and engine settings.

The stages say what decides learning; these options decide speed and memory, unless their comments say otherwise.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from rewardlab import Config
from rewardlab_ray.job_options import Barrier, RayEngineOptions, RayOptions
from rewardlab_training import Lora

if TYPE_CHECKING:
    from rewardlab.plan import Plan


class Correction(Config):
    """Importance sampling against the difference between the rollout engine's probabilities and the trainer's."""

    level: Literal["token", "seq"] = "token"
    """what is weighed: each token, or a whole sequence"""
    mode: Literal["mask", "clip"] = "mask"
    """outside of the bounds: drop, or clamp to them"""
    gating: Literal["ratio", "binary_kl", "tv"] = "ratio"
    """what is held against the bounds"""
    bounds: Annotated[list[NonNegativeFloat], Field(min_length=1, max_length=2)] = Field(
        default_factory=lambda: [0.5, 5.0]
    )
    """[low, high], or [high] alone, of what `gating` names"""


class Asynchronous(Config):
    """Asynchronous generation of the next batches while this one trains, with weights that may be a step older."""

    queue: PositiveInt = 1
    """batches that generation may be ahead"""
    partial_rollouts: bool = False
    """weights are exchanged in the middle of completions, without waiting for them to end"""


class Engine(RayEngineOptions):
    """The settings of OpenRLHF and vLLM."""

    colocate: bool = True
    """rollout engines and trainer share the GPUs in turn; false: each has GPUs of its own"""
    engines: PositiveInt | None = None
    """vLLM engines (absent: with colocate one for each `tensor_parallel` GPUs, else half of the GPUs)"""
    tensor_parallel: PositiveInt = 1
    """GPUs of one vLLM engine"""
    sleep: bool = True
    """with colocate: rollout engines and trainer leave the GPU's memory to each other while they wait"""
    gpu_memory: Annotated[float, Field(gt=0, le=1)] | None = None
    """share of a GPU's memory for vLLM (absent: 0.6 with colocate, else 0.9)"""
    context: PositiveInt | None = None
    """tokens of a rollout engine's longest sequence (absent: the longest prompt and max_new_tokens)"""
    eager: bool = False
    """vLLM without CUDA graphs: slower, starts sooner"""
    prefix_caching: bool = False
    """vLLM keeps the attention of prompts that begin alike; saves time for long shared prompts"""
    asynchronous: Asynchronous | None = None
    """generate ahead, with weights that may be a step older (changes learning; absent: step by step)"""
    generate_batch: PositiveInt | None = None
    """prompts generated at once, more than a step needs (only with `asynchronous`)"""
    correction: Correction | None = None
    """weigh in how far the rollout engine's probabilities are from the trainer's (changes learning; absent: not)"""
    zero_stage: Literal[0, 1, 2, 3] = 2
    """DeepSpeed's ZeRO: 0 shards nothing, 1 optimizer states, 2 gradients too, 3 weights too"""
    offload_optimizer: bool = False
    """keep optimizer states in the main memory: less of the GPU's, slower"""
    offload_reference: bool = False
    """keep the reference model in the main memory; needs `zero_stage: 3`"""
    packing: bool = True
    """no padding in training; needs flash attention"""
    tokens_per_gpu: PositiveInt = 8192
    """tokens of a micro-batch, if the stage names no micro_batch_size; at least one longest row"""
    rollout_micro_batch_size: PositiveInt | None = None
    """completions in one forward pass for log-probabilities (absent: the stage's micro_batch_size, or by
    `tokens_per_gpu`)"""
    attention: str = "flash_attention_2"
    """transformers' attention in training: flash_attention_2, sdpa or eager"""
    lora: Lora | None = None
    """train adapters in place of the whole model; sft and dpo only (absent: the whole model)"""
    ring_attention: PositiveInt = 1
    """GPUs that share one sequence"""
    barrier: Barrier = Field(default_factory=Barrier)
    """how long the members of a group wait for each other"""
    arguments: dict[str, str | int | float | bool | list[str | int | float]] = Field(default_factory=dict)
    """extra arguments of OpenRLHF by their exact names, without dashes; none that the recipe sets elsewhere"""

    def generates_ahead(self, batch_size: int) -> bool:
        """Return whether OpenRLHF receives groups of several steps within one round of generation."""
        return self.generate_batch is not None and self.generate_batch > batch_size


class Options(RayOptions):
    """The options of `backend: {use: openrlhf}`."""

    gib_per_gpu: PositiveFloat | None = None
    """memory of each GPU in GiB: `check` warns of what cannot fit (absent: unknown)"""
    engine: Engine = Field(default_factory=Engine)
    """how the job spreads over GPUs, and settings of OpenRLHF and vLLM"""
    precision: Literal["bf16"] | None = None
    """the only precision in which OpenRLHF trains"""


def service_options(plan: "Plan", batch_size: int) -> dict[str, Any]:
    """Return what the actors that score must know of the options: fields of their ServiceSettings."""
    options = options_of(plan)
    engine = options.engine
    return {
        "generates_ahead": engine.generates_ahead(batch_size),
        "replaces": plan.replaces_groups,
        "tensorboard": options.tensorboard,
        "wandb": engine.wandb,
        **engine.barrier.model_dump(),
    }


def options_of(plan: "Plan") -> Options:
    """Return a plan's options under `backend`; the plan's backend must be this one."""
    assert plan.backend is not None
    options: Options = plan.backend.options
    return options
