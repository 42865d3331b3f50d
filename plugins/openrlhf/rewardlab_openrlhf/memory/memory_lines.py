"""A stage's memory in words: what each role takes of a GPU, and what of it cannot fit."""

from collections.abc import Iterator

from rewardlab.plan import Plan

from rewardlab_openrlhf.layout import StageLayout
from rewardlab_openrlhf.memory.micro_batches import ASSUMED_GIB, GIB
from rewardlab_openrlhf.memory.stage_memory import EngineMemory, Pass, StageMemory, States, stage_memory
from rewardlab_openrlhf.options import Engine, options_of
from rewardlab_openrlhf.stage_files import TrainingStage

LESS = "zero_stage: 3, offload_optimizer: true or more GPUs take less"


def memory_lines(plan: Plan, stage: TrainingStage, layout: StageLayout) -> Iterator[str]:
    """Yield the arithmetic by role for a dry run, or why there is none."""
    backend, memory = options_of(plan), stage_memory(plan, stage, layout)
    if memory.model.assumed:
        yield (
            f"memory: not counted, since the config.json of {plan.recipe.model} can be read neither in a folder nor in "
            f"the hub's cache here (hf download {plan.recipe.model} config.json); micro-batches of this page are those "
            "of Qwen2.5-7B's sizes, and the job's own are chosen where the model is"
        )
        return
    yield (
        f"memory of a GPU in GiB, by arithmetic for {memory.model.parameters / 1e9:.3g} billion parameters and the "
        "longest rows; CUDA, NCCL and buffers come on top, and activations are an estimate:"
    )
    yield from (f"  {line}" for line in _roles(memory, backend.engine, layout))
    for why in misfits(memory, backend.gib_per_gpu):
        yield f"  does not fit: {why}"
    if backend.gib_per_gpu is None:
        yield f"  backend.gib_per_gpu would have `check` compare; default micro-batches are for {ASSUMED_GIB:g}"


def misfits(memory: StageMemory, gib_per_gpu: float | None) -> Iterator[str]:
    """Yield what plainly does not fit into a GPU, without counting what is an estimate; nothing for assumed sizes."""
    if gib_per_gpu is None or memory.model.assumed:
        return
    room = gib_per_gpu * GIB
    needed = memory.policy.total + memory.training.logits
    if needed + (others := _others(memory, "policy")) > room:
        by_logits = memory.training.logits > memory.policy.total and memory.training.rows > 1
        yield (
            f"the policy takes {_gib(needed)} GiB of a GPU's {gib_per_gpu:g} with weights, gradients, optimizer and "
            f"logits{_beside(others)}; {'a smaller micro_batch_size' if by_logits else LESS}"
        )
    if memory.critic is not None and memory.critic.total + (others := _others(memory, "critic")) > room:
        yield (
            f"the critic takes {_gib(memory.critic.total)} GiB of a GPU's {gib_per_gpu:g} with weights, gradients and "
            f"optimizer{_beside(others)}; {LESS}"
        )
    if memory.engine is not None:
        yield from _engine_misfits(memory, memory.engine, room)


def _engine_misfits(memory: StageMemory, engine: EngineMemory, room: float) -> Iterator[str]:
    share = engine.share * room
    wanted = engine.weights + engine.cache_of_token * engine.tokens
    if wanted > share:
        yield (
            f"a rollout engine's weights and the cache of one completion of {engine.tokens} tokens take {_gib(wanted)} "
            f"GiB, and it has {_gib(share)} (gpu_memory {engine.share:g}); a larger tensor_parallel or gpu_memory"
        )
    if memory.shared and share + (others := _others(memory, "engine")) > room:
        sleep = "" if memory.sleeps else ", or sleep: true"
        yield (
            f"a rollout engine takes {_gib(share)} GiB of a GPU's {_gib(room)} (gpu_memory {engine.share:g})"
            f"{_beside(others)}; a smaller gpu_memory or zero_stage: 3{sleep}"
        )


def _others(memory: StageMemory, role: str) -> float:
    """Return the bytes of the other models on the GPU while `role` is at work.

    Those that sleep leave their weights there: OpenRLHF moves gradients and optimizer states only.
    """
    if role == "critic" and not memory.shared:
        return 0.0
    trained = {"policy": memory.policy, "critic": memory.critic if memory.shared else None}
    rest = [states for name, states in trained.items() if name != role and states is not None]
    reference = memory.reference.weights if memory.reference is not None else 0.0
    return reference + sum(states.weights if memory.sleeps else states.total for states in rest)


def _beside(others: float) -> str:
    return f", and other models {_gib(others)} beside it" if others else ""


def _roles(memory: StageMemory, engine: Engine, layout: StageLayout) -> Iterator[str]:
    zero = f"ZeRO {engine.zero_stage} over {layout.ranks} ranks"
    offloaded = ", optimizer and gradients in the main memory" if engine.offload_optimizer else ""
    yield f"policy ({zero}{offloaded}): {_states(memory.policy)}"
    yield f"  an update adds {_pass(memory.training)}"
    if memory.forward is not None:
        who = "policy or reference" if memory.reference is not None else "policy"
        yield f"  log-probabilities ({who}) add {_pass(memory.forward)}"
    if memory.reference is not None:
        where = ", in the main memory" if engine.offload_reference else ""
        yield f"reference{where}: {_gib(memory.reference.weights)} weights"
    if memory.critic is not None:
        added = f"an update adds up to {_gib(memory.training.activations)} activations; it has no logits"
        yield f"critic ({zero}{offloaded}): {_states(memory.critic)}; {added}"
    if memory.engine is not None:
        yield _engine(memory.engine, layout)


def _states(states: States) -> str:
    return (
        f"{_gib(states.weights)} weights + {_gib(states.gradients)} gradients + {_gib(states.optimizer)} optimizer = "
        f"{_gib(states.total)}"
    )


def _pass(step: Pass) -> str:
    activations = f" + about {_gib(step.activations)} activations" if step.activations else ""
    of = f"{step.rows}, " if step.rows else ""
    return f"{_gib(step.logits)} logits{activations} (micro-batch of {of}up to {step.tokens} tokens)"


def _engine(engine: EngineMemory, layout: StageLayout) -> str:
    one = engine.cache_of_token * engine.tokens
    return (
        f"rollout engine of {layout.tensor_parallel} GPU(s): {_gib(engine.weights)} weights, and "
        f"{engine.cache_of_token / 1024:.3g} KiB of cache a token: {_gib(one)} for a completion of {engine.tokens} "
        f"tokens; it may take {engine.share:g} of the GPU"
    )


def _gib(amount: float) -> str:
    return f"{amount / GIB:.1f}" if amount >= GIB / 20 else f"{amount / GIB:.2g}"
