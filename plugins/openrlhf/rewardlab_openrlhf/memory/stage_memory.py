"""Bytes on a GPU of each role of a stage: the policy, the reference, the critic, the rollout engines.

What DeepSpeed stores follows Rajbhandari et al., "ZeRO", 2020, for bf16 weights and gradients and Adam in float32.
Left out are what nobody can know beforehand: CUDA's own memory, buffers of NCCL and of ZeRO's gathering, fragments.
"""

from dataclasses import dataclass

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab_training import Lora

from rewardlab_openrlhf.layout import StageLayout
from rewardlab_openrlhf.memory.batches import Batches, batches
from rewardlab_openrlhf.memory.micro_batches import pass_limits
from rewardlab_openrlhf.memory.model_sizes import ModelSizes, model_sizes
from rewardlab_openrlhf.memory.token_costs import (
    forward_logits,
    training_activations,
    training_logits,
)
from rewardlab_openrlhf.options import Engine, options_of

BF16 = 2
ADAM = 12
"""bytes a parameter: the weights in float32, and Adam's two averages"""


MEMORY_SHARED, MEMORY_OWN = 0.6, 0.9
"""vLLM's share of a GPU"""


@dataclass(frozen=True, kw_only=True)
class States:
    """Bytes on a GPU that stay there while a model trains."""

    weights: float
    gradients: float = 0.0
    optimizer: float = 0.0

    @property
    def total(self) -> float:
        """All of them."""
        return self.weights + self.gradients + self.optimizer


@dataclass(frozen=True, kw_only=True)
class Pass:
    """Bytes on a GPU that one micro-batch adds: its logits, and what is kept of its layers."""

    rows: int
    """0 if micro-batches are made by their tokens"""
    tokens: int
    """of the whole micro-batch at its longest"""
    logits: float
    activations: float = 0.0
    """none without gradients: a layer's are gone before there are logits"""


@dataclass(frozen=True, kw_only=True)
class EngineMemory:
    """Bytes on a GPU of one rollout engine."""

    weights: float
    cache_of_token: float
    """keys and values of one token"""
    tokens: int
    """of the longest prompt with its completion"""
    share: float
    """of the GPU that vLLM may take"""


@dataclass(frozen=True, kw_only=True)
class StageMemory:
    """The roles of one stage."""

    model: ModelSizes
    policy: States
    training: Pass
    forward: Pass | None = None
    """for log-probabilities; none in sft"""
    reference: States | None = None
    critic: States | None = None
    engine: EngineMemory | None = None
    shared: bool = False
    """rollout engines, critic and trainer are on the same GPUs"""
    sleeps: bool = False
    """these leave each other room while they wait"""


def stage_memory(plan: Plan, stage: SftStage | DpoStage | RlStage, layout: StageLayout) -> StageMemory:
    """Return what each role of a stage that passes `check` takes on each of its GPUs."""
    backend, model = options_of(plan), model_sizes(plan.recipe.model)
    engine = backend.engine
    rows = batches(plan, stage, layout)
    tokens = pass_limits(plan, stage, layout, None).tokens
    rl = isinstance(stage, RlStage)
    states = trainer_states(model, engine, layout.ranks, None if rl else engine.lora)
    checkpointing = backend.gradient_checkpointing
    return StageMemory(
        model=model,
        policy=states,
        training=_training(model, rows, tokens, checkpointing),
        forward=None if isinstance(stage, SftStage) else _forward(model, rows, tokens, rl),
        reference=_reference(model, engine, layout.ranks) if layout.reference or isinstance(stage, DpoStage) else None,
        critic=trainer_states(model, engine, layout.ranks, None) if layout.critic else None,
        engine=_engine(model, engine, layout, tokens * layout.ring) if rl else None,
        shared=layout.colocated,
        sleeps=layout.colocated and engine.sleep,
    )


def trainer_states(model: ModelSizes, engine: Engine, ranks: int, lora: Lora | None) -> States:
    """Return what DeepSpeed keeps of a model that trains, on each of `ranks` GPUs."""
    stage, whole = engine.zero_stage, model.parameters
    trained = whole if lora is None else min(adapter_parameters(model, lora), whole)
    weights = BF16 * (whole if lora is None else whole + trained)
    gradient = 4 if engine.arguments.get("ds.grad_accum_dtype") == "fp32" else BF16
    return States(
        weights=weights / (ranks if stage == 3 else 1),
        gradients=0.0 if engine.offload_optimizer else gradient * trained / (ranks if stage >= 2 else 1),
        optimizer=0.0 if engine.offload_optimizer else ADAM * trained / (ranks if stage >= 1 else 1),
    )


def adapter_parameters(model: ModelSizes, lora: Lora) -> int:
    """Return the parameters of adapters on all linear layers: the most that `targets` can name."""
    attention = 2 * (2 * model.hidden + model.query + model.key_value)
    return model.layers * lora.rank * (attention + 3 * (model.hidden + model.feed_forward))


def _reference(model: ModelSizes, engine: Engine, ranks: int) -> States:
    if engine.offload_reference:
        return States(weights=0.0)
    return States(weights=BF16 * model.parameters / (ranks if engine.zero_stage == 3 else 1))


def _training(model: ModelSizes, rows: Batches, of_row: int, checkpointing: bool) -> Pass:
    tokens = rows.micro * of_row if rows.tokens is None else max(rows.tokens.training, of_row)
    return Pass(
        rows=0 if rows.tokens is not None else rows.micro,
        tokens=tokens,
        logits=tokens * training_logits(model),
        activations=tokens * training_activations(model, checkpointing),
    )


def _forward(model: ModelSizes, rows: Batches, of_row: int, rl: bool) -> Pass:
    count = rows.rollout_micro if rl else rows.micro
    tokens = count * of_row if rows.tokens is None else max(rows.tokens.forward, of_row)
    return Pass(rows=0 if rows.tokens is not None else count, tokens=tokens, logits=tokens * forward_logits(model))


def _engine(model: ModelSizes, engine: Engine, layout: StageLayout, tokens: int) -> EngineMemory:
    cache = 2 * BF16 * model.layers * model.key_value
    return EngineMemory(
        weights=BF16 * model.parameters / layout.tensor_parallel,
        cache_of_token=cache / layout.tensor_parallel,
        tokens=max(tokens, engine.context or 0),
        share=engine_share(engine, layout),
    )


def engine_share(engine: Engine, layout: StageLayout) -> float:
    """Return the share of a GPU's memory that vLLM may take."""
    return engine.gpu_memory or (MEMORY_SHARED if layout.colocated else MEMORY_OWN)
