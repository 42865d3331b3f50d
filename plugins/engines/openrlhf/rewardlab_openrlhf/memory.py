"""A stage's memory on a GPU, by arithmetic: what ZeRO keeps of each model, an engine's weights, a micro-batch's logits.

The states follow Rajbhandari et al., "ZeRO", 2020, for bf16 weights and gradients and Adam in float32; docs/cluster.md
has the formulas, and what comes on top: activations, caches, CUDA's and NCCL's own memory, fragments.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage
from rewardlab_training import ModelSize, model_size

from rewardlab_openrlhf.compile.batches import batches
from rewardlab_openrlhf.compile.placement import engine_share
from rewardlab_openrlhf.layout import StageLayout
from rewardlab_openrlhf.options import Engine, options_of
from rewardlab_openrlhf.stage_files import TrainingStage

GIB = 2**30
BF16, FP32, ADAM = 2, 4, 12
"""bytes a parameter: weights or gradients, gradients that add up in float32, Adam's copy and its two averages"""
LOGITS = 10
"""bytes of a logit at the peak of a backward pass: the float32 copy, its gradient, and that of the bf16 original"""


@dataclass(frozen=True, kw_only=True)
class Role:
    """The GiB on a GPU of one of a stage's models."""

    awake: float
    asleep: float
    """the weights, which OpenRLHF leaves on the GPU while another model is at work"""


def roles(plan: Plan, stage: TrainingStage, layout: StageLayout, size: ModelSize) -> dict[str, Role]:
    """Return what stays on each of a stage's GPUs, by role; a rollout engine's is its weights."""
    engine, whole = options_of(plan).engine, size.parameters / GIB
    policy = trained(engine, layout, whole, adapters=engine.lora is not None and not isinstance(stage, RlStage))
    by_role = {"policy": policy}
    if layout.critic:
        by_role["critic"] = policy
    if layout.reference or isinstance(stage, DpoStage):
        weights = 0.0 if engine.offload_reference else policy.asleep
        by_role["reference"] = Role(awake=weights, asleep=weights)
    if isinstance(stage, RlStage):
        by_role["rollout engine"] = Role(awake=BF16 * whole / layout.tensor_parallel, asleep=0.0)
    return by_role


def trained(engine: Engine, layout: StageLayout, whole: float, adapters: bool = False) -> Role:
    """Return what DeepSpeed keeps of a model that trains, of `whole` parameters; adapters' states are next to none."""
    ranks, stage = layout.ranks, engine.zero_stage
    weights = BF16 * whole / (ranks if stage == 3 else 1)
    if adapters or engine.offload_optimizer:
        return Role(awake=weights, asleep=weights)
    gradient = FP32 if engine.arguments.get("ds.grad_accum_dtype") == "fp32" else BF16
    states = gradient * whole / (ranks if stage >= 2 else 1) + ADAM * whole / (ranks if stage >= 1 else 1)
    return Role(awake=weights + states, asleep=weights)


def logits_of(plan: Plan, stage: TrainingStage, layout: StageLayout, size: ModelSize) -> float:
    """Return the GiB that the logits of a micro-batch add in an update, at its longest."""
    rows = batches(plan, stage, layout)
    tokens = rows.micro * rows.longest if rows.tokens is None else max(rows.tokens, rows.longest)
    return LOGITS * tokens * size.vocabulary / GIB


def memory_lines(plan: Plan, stage: TrainingStage, layout: StageLayout) -> Iterator[str]:
    """Yield the arithmetic by role for a dry run, or why there is none."""
    size = model_size(plan.recipe.model)
    if size is None:
        yield (
            f"memory: not counted, since the config.json of {plan.recipe.model} can be read neither in a folder nor in "
            f"the hub's cache here (hf download {plan.recipe.model} config.json)"
        )
        return
    each = ", ".join(f"{role} {gib.awake:.2g}" for role, gib in roles(plan, stage, layout, size).items())
    yield (
        f"memory of a GPU in GiB, by arithmetic for {size.parameters / 1e9:.3g} billion parameters: {each}; a "
        f"micro-batch's logits up to {logits_of(plan, stage, layout, size):.2g}; activations and caches come on top"
    )
    yield from (f"does not fit: {why}" for why in misfits(plan, stage, layout))


def misfits(plan: Plan, stage: TrainingStage, layout: StageLayout) -> Iterator[str]:
    """Yield what plainly does not fit into a GPU of `gib_per_gpu`; nothing for a model whose sizes are not here."""
    backend, size = options_of(plan), model_size(plan.recipe.model)
    if (room := backend.gib_per_gpu) is None or size is None:
        return
    engine, models = backend.engine, roles(plan, stage, layout, size)
    logits = logits_of(plan, stage, layout, size)
    share = room * engine_share(engine, layout) if isinstance(stage, RlStage) else 0.0
    sleeps = layout.colocated and engine.sleep
    if "critic" in models and not layout.colocated:
        del models["critic"]  # it has GPUs of its own, as many as the policy
    rollout = models.pop("rollout engine", None)
    beside = sum(role.asleep if sleeps else role.awake for name, role in models.items() if name != "policy")
    if (needed := models["policy"].awake + logits + beside) > room:
        yield (
            f"the policy's states, other models and a micro-batch's logits take {needed:.1f} GiB of a GPU's {room:g} "
            f"({logits:.1f} are logits); zero_stage: 3, offload_optimizer: true, more GPUs or a smaller tokens_per_gpu "
            "or micro_batch_size take less"
        )
    if rollout is not None and rollout.awake > share:
        yield (
            f"a rollout engine's weights take {rollout.awake:.1f} GiB, and it has {share:.1f} "
            f"(gpu_memory {engine_share(engine, layout):g}); a larger tensor_parallel or gpu_memory"
        )
    trainers = sum(role.asleep if sleeps else role.awake for role in models.values())
    if rollout is not None and layout.colocated and share + trainers > room:
        yield (
            f"a rollout engine's {share:.1f} GiB (gpu_memory {engine_share(engine, layout):g}) and the {trainers:.1f} "
            f"of the models beside it are more than a GPU's {room:g}; a smaller gpu_memory, zero_stage: 3 or "
            "sleep: true"
        )
