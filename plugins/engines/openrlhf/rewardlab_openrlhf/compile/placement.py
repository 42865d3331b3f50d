"""The placement of an rl stage: its GPUs, its rollout engines, and who waits for whom."""

from rewardlab.recipe import RlStage

from rewardlab_openrlhf.compile.command import Value
from rewardlab_openrlhf.layout import StageLayout
from rewardlab_openrlhf.options import Engine

MEMORY_SHARED, MEMORY_OWN = 0.6, 0.9
"""vLLM's share of a GPU"""


def engine_share(engine: Engine, layout: StageLayout) -> float:
    """Return the share of a GPU's memory that vLLM may take."""
    return engine.gpu_memory or (MEMORY_SHARED if layout.colocated else MEMORY_OWN)


def placement(stage: RlStage, engine: Engine, layout: StageLayout) -> dict[str, Value]:
    """Return the arguments that place the policy, the reference, the critic and the rollout engines."""
    nodes, each = layout.ranks_by_node
    arguments: dict[str, Value] = {"actor.num_nodes": nodes, "actor.num_gpus_per_node": each}
    if layout.reference:
        arguments |= {"ref.num_nodes": nodes, "ref.num_gpus_per_node": each, "ref.offload": engine.offload_reference}
    if layout.critic:
        arguments |= {"critic.num_nodes": nodes, "critic.num_gpus_per_node": each}
    sleep = layout.colocated and engine.sleep
    return arguments | {
        "train.colocate_all": layout.colocated,
        "train.colocate_actor_ref": layout.reference and not layout.colocated,
        "vllm.num_engines": layout.engines,
        "vllm.tensor_parallel_size": layout.tensor_parallel,
        "vllm.gpu_memory_utilization": engine_share(engine, layout),
        "vllm.enable_prefix_caching": engine.prefix_caching,
        "vllm.enforce_eager": engine.eager,
        "vllm.enable_sleep": sleep,
        "ds.enable_sleep": sleep,
        **_asynchronous(stage, engine),
    }


def _asynchronous(stage: RlStage, engine: Engine) -> dict[str, Value]:
    if engine.asynchronous is None:
        return {}
    return {
        "train.async_enable": True,
        "train.async_queue_size": engine.asynchronous.queue,
        "train.partial_rollout_enable": engine.asynchronous.partial_rollouts,
        "rollout.vllm_generate_batch_size": engine.generate_batch or stage.batch_size,
    }
