"""`backend.engine` of a recipe: how OpenRLHF spreads a job over GPUs, and what else of it a recipe may set.

What decides learning stands in the stages; this decides speed and memory, but for what its comments say.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from rewardlab.specs import Config


class Lora(Config):
    """Train adapters in place of the whole model (sft and dpo; OpenRLHF merges none of them for rollouts)."""

    rank: PositiveInt
    alpha: PositiveInt = 16
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    targets: list[str] = Field(default_factory=lambda: ["all-linear"])


class Correction(Config):
    """Importance sampling against the difference between the rollout engine's probabilities and the trainer's."""

    level: Literal["token", "seq"] = "token"
    mode: Literal["mask", "clip"] = "mask"
    """outside of the bounds: drop, or clamp to them"""
    gating: Literal["ratio", "binary_kl", "tv"] = "ratio"
    """what is held against the bounds"""
    bounds: Annotated[list[NonNegativeFloat], Field(min_length=1, max_length=2)] = Field(
        default_factory=lambda: [0.5, 5.0]
    )
    """[low, high], or [high] alone"""


class Asynchronous(Config):
    """Generate the next batches while this one trains; completions may come from weights that are a step older."""

    queue: PositiveInt = 1
    """batches that generation may be ahead"""
    partial_rollouts: bool = False
    """weights are exchanged in the middle of completions, without waiting for them to end"""


class Barrier(Config):
    """How long the members of a group wait for each other, and for their rewards."""

    completion_timeout: PositiveFloat = 3600.0
    """seconds for one completion"""
    scoring_timeout: PositiveFloat = 1800.0
    """seconds for scoring a group that is complete"""
    on_partial: Literal["fail", "mean"] = "fail"
    """a completion fails or takes too long: end the job, or score the others and give it their mean (no advantage)"""


class Engine(Config):
    """OpenRLHF and vLLM."""

    colocate: bool = True
    """rollout engines and trainer share the GPUs in turn; false: each has GPUs of its own"""
    engines: PositiveInt | None = None
    """vLLM engines (absent: with colocate one for each `tensor_parallel` GPUs, else half of the GPUs)"""
    tensor_parallel: PositiveInt = 1
    """GPUs of one vLLM engine"""
    sleep: bool = True
    """with colocate: whoever waits leaves the GPU's memory to the other"""
    gpu_memory: Annotated[float, Field(gt=0, le=1)] | None = None
    """share of a GPU's memory for vLLM (absent: 0.6 with colocate, else 0.9)"""
    context: PositiveInt | None = None
    """tokens of a rollout engine's longest sequence (absent: the longest prompt and max_new_tokens)"""
    eager: bool = False
    """vLLM without CUDA graphs: slower, starts sooner"""
    prefix_caching: bool = False
    asynchronous: Asynchronous | None = None
    generate_batch: PositiveInt | None = None
    """prompts generated at once, more than a step needs (only with `asynchronous`)"""
    dynamic_filtering: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    """keep only groups whose mean of `reward.correctness` is strictly between these (changes learning)"""
    correction: Correction | None = None
    """changes learning"""
    zero_stage: Literal[0, 1, 2, 3] = 2
    offload_optimizer: bool = False
    offload_reference: bool = False
    packing: bool = True
    """no padding in training; needs flash attention"""
    tokens_per_gpu: PositiveInt | None = None
    """micro-batches by their tokens instead of `micro_batch_size` rows (needs `packing`)"""
    rollout_micro_batch_size: PositiveInt | None = None
    """completions in one forward pass for log-probabilities (absent: the stage's micro_batch_size)"""
    attention: str = "flash_attention_2"
    lora: Lora | None = None
    ring_attention: PositiveInt = 1
    """GPUs that share one sequence"""
    keep_checkpoints: PositiveInt = 2
    barrier: Barrier = Field(default_factory=Barrier)
    storage: str | None = None
    """a folder that every node sees, for the run's models and checkpoints (absent: the run directory)"""
    wandb: str | None = None
    """a Weights & Biases project; the key comes from WANDB_API_KEY on the nodes"""
    arguments: dict[str, str | int | float | bool | list[str | int | float]] = Field(default_factory=dict)
    """further arguments of OpenRLHF by their exact names, without dashes; none that the recipe says otherwise"""

    @model_validator(mode="after")
    def _belongs_together(self) -> Self:
        if self.asynchronous is not None and self.colocate:
            raise ValueError("asynchronous needs engines with GPUs of their own; set colocate: false")
        if self.generate_batch is not None and self.asynchronous is None:
            raise ValueError("generate_batch needs `asynchronous`, whose queue holds what is ahead")
        if self.tokens_per_gpu is not None and not self.packing:
            raise ValueError("tokens_per_gpu needs packing")
        return self


class Critic(Config):
    """The value model of algorithm ppo, which starts from the policy's weights."""

    learning_rate: PositiveFloat = 9e-6
    warmup_steps: NonNegativeInt = 0
    """optimizer updates before its rate is full"""
    value_clip: PositiveFloat = 0.5
    lambda_: Annotated[float, Field(ge=0, le=1)] = Field(default=1.0, alias="lambda")
    """of generalized advantage estimation"""
    gamma: Annotated[float, Field(gt=0, le=1)] = 1.0
