"""verl among the engines on Ray: what its jobs import, how many GPUs they take, how far a stage is."""

from collections.abc import Mapping

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.stage_task import TrainingStage

from rewardlab_verl.engine_version import what_is_wrong
from rewardlab_verl.job.checkpoints import newest_step
from rewardlab_verl.options import options_of

ROLLOUTS = ("vllm", "sglang")


def _modules(plan: Plan, samples: bool) -> Mapping[str, str]:
    engine = options_of(plan).engine
    wanted = {"verl": "`rewardlab env create verl` makes an environment that has"}
    if samples and engine.rollout in ROLLOUTS:
        wanted[engine.rollout] = "`rewardlab env create verl` brings vllm; for sglang, pip install 'verl[sglang]'"
    if engine.strategy == "megatron":
        wanted["megatron.core"] = "pip install megatron-core megatron-bridge, or set backend.engine.strategy: fsdp2"
    return wanted


def _gpus(plan: Plan, stage: TrainingStage) -> int:
    backend = options_of(plan)
    return backend.gpus + (backend.scorer_gpus if isinstance(stage, RlStage) else 0)


ENGINE = RayEngine(
    name="verl",
    driver="rewardlab_verl.job.driver",
    packages=("verl", "torch", "transformers", "TransferQueue", "vllm", "sglang", "megatron-core"),
    what_is_wrong=what_is_wrong,
    modules=_modules,
    gpus=_gpus,
    newest_step=newest_step,
)
