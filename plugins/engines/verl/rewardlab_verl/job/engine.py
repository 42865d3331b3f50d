"""verl among the engines on Ray: what it can do, what its jobs import, and how many GPUs they take."""

from collections.abc import Mapping

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage
from rewardlab_ray.job.backend import RayBackend
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.stage_task import TrainingStage
from rewardlab_training import Capabilities

from rewardlab_verl.check import findings
from rewardlab_verl.compile.rl import PAPER_LOSS
from rewardlab_verl.describe import describe_stage
from rewardlab_verl.engine_settings.passed import WHEEL
from rewardlab_verl.job.checkpoints import newest_step
from rewardlab_verl.options import options_of

UNNAMED = {"transfer_queue": "TransferQueue", "cachetools": "cachetools", "fastapi": "fastapi", "uvicorn": "uvicorn"}
"""what verl imports and its distribution does not name; rollout engines bring most of it"""
ROLLOUTS = ("vllm", "sglang")


def _modules(plan: Plan, samples: bool) -> Mapping[str, str]:
    engine = options_of(plan).engine
    wanted = dict.fromkeys(UNNAMED, f"pip install {' '.join(UNNAMED.values())}")
    if samples and engine.rollout in ROLLOUTS:
        wanted[engine.rollout] = "`rewardlab env create verl` brings vllm; for sglang, pip install 'verl[sglang]'"
    if engine.strategy == "megatron":
        wanted["megatron.core"] = "pip install megatron-core megatron-bridge, or set backend.engine.strategy: fsdp2"
    return wanted


def _gpus(plan: Plan, stage: TrainingStage) -> int:
    backend = options_of(plan)
    return backend.gpus + (backend.scorer_gpus if isinstance(stage, RlStage) else 0)


SETTINGS = (
    "agent",
    "dual_clip",
    "entropy_coef",
    "importance_sampling_level",
    "loss=cispo",
    "min_p",
    "repetition_penalty",
    "eval.top_p",
    "eval.top_k",
)
"""those that not every engine has: verl's"""
ENGINE = RayEngine(
    name="verl",
    distribution="verl",
    wheel=WHEEL,
    absent="`rewardlab env create verl` makes its environment, and `backend={use: trl}` needs none",
    driver="rewardlab_verl.job.driver",
    capabilities=Capabilities(
        stages=("sft", "rl", "eval"),
        algorithms=tuple(PAPER_LOSS),
        settings=frozenset(SETTINGS),
        flat_groups=("keep", "replace"),
    ),
    findings=findings,
    describe_stage=describe_stage,
    packages=("verl", "torch", "transformers", "TransferQueue", "vllm", "sglang", "megatron-core"),
    modules=_modules,
    gpus=_gpus,
    newest_step=newest_step,
)


def backend(_options: object) -> RayBackend:
    """Return the backend, which asks the plan for its options."""
    return RayBackend(ENGINE)


lacks = ENGINE.lacks
