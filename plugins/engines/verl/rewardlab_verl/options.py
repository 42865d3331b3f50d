"""The options under `backend` of a recipe with `use: verl`: how a job spreads over GPUs, and engine settings.

The stages say what decides learning; these options decide speed and memory, unless their comments say otherwise.
"""

from math import ceil
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, PositiveInt
from rewardlab import Config
from rewardlab_ray.job_options import Barrier, RayEngineOptions, RayOptions
from rewardlab_training import Lora

if TYPE_CHECKING:
    from rewardlab.plan import Plan


Arguments = dict[str, str | int | float | bool | list[str | int | float]]


class Megatron(Config):
    """The parallelism of Megatron; only with `strategy: megatron`."""

    tensor_parallel: PositiveInt = 1
    """GPUs that share each layer"""
    pipeline_parallel: PositiveInt = 1
    """groups of GPUs that hold the layers one after the other"""
    context_parallel: PositiveInt = 1
    """GPUs that share each sequence"""

    @property
    def ranks(self) -> int:
        """The GPUs of one copy of the model."""
        return self.tensor_parallel * self.pipeline_parallel * self.context_parallel


class Refill(Config):
    """Prompts that take the place of groups that do not teach (`reward.teach: {flat: replace}`)."""

    max_batches: PositiveInt = 10
    """prompts that may be generated for one step, in batches of `batch_size`; a step that needs more ends the job"""
    at_once: PositiveInt = 1
    """of these, batches that are generated at the same time"""


class VerlEngine(RayEngineOptions):
    """The settings of verl and of the rollout engine."""

    strategy: Literal["fsdp2", "megatron"] = "fsdp2"
    """how the trainer's ranks share the model"""
    rollout: str = "vllm"
    """vllm or sglang; or another engine's name that a module of VERL_USE_EXTERNAL_MODULES registers"""
    tensor_parallel: PositiveInt = 1
    """GPUs of one rollout engine"""
    gpu_memory: Annotated[float, Field(gt=0, le=1)] = 0.5
    """share of a GPU's memory for the rollout engine, which shares the GPUs with the trainer"""
    eager: bool = False
    """the rollout engine without CUDA graphs: slower, starts sooner"""
    prefix_caching: bool = True
    """the rollout engine keeps the attention of prompts that begin alike"""
    context: PositiveInt | None = None
    """tokens of a rollout engine's longest sequence (absent: the longest prompt and max_new_tokens)"""
    offload_parameters: bool = False
    """keep weights in the main memory while they wait: less of the GPU's, slower"""
    offload_optimizer: bool = False
    """keep optimizer states in the main memory while they wait"""
    sequence_parallel: PositiveInt = 1
    """GPUs that share one sequence (Ulysses, fsdp2; Megatron's is `megatron.context_parallel`)"""
    megatron: Megatron = Field(default_factory=Megatron)
    """how Megatron splits a model"""
    packing: bool = True
    """no padding in training; needs flash attention"""
    attention: str = "flash_attention_2"
    """transformers' attention in training: flash_attention_2, sdpa or eager"""
    tokens_per_gpu: PositiveInt = 16384
    """tokens of a micro-batch, if the stage names no micro_batch_size; at least one longest row"""
    rollout_micro_batch_size: PositiveInt | None = None
    """completions in one forward pass for log-probabilities (absent: the stage's micro_batch_size)"""
    checkpoint_models: bool = False
    """each checkpoint has the model as transformers reads it beside its shards, for `rewardlab eval` of several; the
    last one's is in `models/` either way (with Megatron every checkpoint has it; not with `lora`)"""
    lora: Lora | None = None
    """train adapters in place of the whole model (absent: the whole model)"""
    agent_workers: PositiveInt = 8
    """processes that ask the rollout engines"""
    reward_workers: PositiveInt = 8
    """processes that hand completions to the scorers; more if a step or an evaluation has more than 800 completions for
    each of them"""
    refill: Refill = Field(default_factory=Refill)
    """how many prompts may take the place of groups that do not teach"""
    barrier: Barrier = Field(default_factory=Barrier)
    """how long the members of a group wait for each other"""
    arguments: Arguments = Field(default_factory=dict)
    """further settings of verl.trainer.main_ppo (rl) by their exact names, such as trainer.balance_batch; none that the
    recipe sets elsewhere"""
    sft_arguments: Arguments = Field(default_factory=dict)
    """the same of verl.trainer.sft_trainer (sft)"""

    def arguments_of(self, stage: str) -> "Arguments":
        """Return the further settings of a stage of this kind."""
        return self.arguments if stage == "rl" else self.sft_arguments

    def program(self, stage: str) -> str:
        """Return which of verl's configurations a stage of this kind has, such as "rl-megatron"."""
        return stage if self.strategy == "fsdp2" else f"{stage}-{self.strategy}"


class Options(RayOptions):
    """The options of `backend: {use: verl}`; scorers with GPUs have theirs beside those of `gpus_per_node`."""

    engine: VerlEngine = Field(default_factory=VerlEngine)
    """how the job spreads over GPUs, and settings of verl and of the rollout engine"""
    precision: Literal["bf16", "fp32"] = "bf16"
    """precision of the computation; weights and optimizer states are kept in fp32"""

    @property
    def gpus(self) -> int:
        """All GPUs of verl; `check` refuses a recipe that does not say how many there are."""
        return self.nodes * (self.gpus_per_node or 1)

    @property
    def scorer_gpus(self) -> int:
        """The GPUs of the scorers, beside those."""
        return ceil(self.scorers.replicas * self.scorers.num_gpus)


def options_of(plan: "Plan") -> Options:
    """Return a plan's options under `backend`; the plan's backend must be this one."""
    assert plan.backend is not None
    options: Options = plan.backend.options
    return options
