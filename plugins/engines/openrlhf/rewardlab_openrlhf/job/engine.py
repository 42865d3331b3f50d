"""OpenRLHF among the engines on Ray: what it can do, what its jobs import, and how many GPUs they take."""

from collections.abc import Mapping

from rewardlab.plan import Plan
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.stage_task import TrainingStage
from rewardlab_training import Capabilities

from rewardlab_openrlhf.check import findings
from rewardlab_openrlhf.compile.rl import ESTIMATORS
from rewardlab_openrlhf.dry_run.describe import describe_stage
from rewardlab_openrlhf.engine_arguments import WHEEL
from rewardlab_openrlhf.job.checkpoint import newest_step
from rewardlab_openrlhf.layout import layout_of
from rewardlab_openrlhf.options import options_of

HOW = "docs/cluster.md says how to prepare it"


def _modules(_plan: Plan, samples: bool) -> Mapping[str, str]:
    names = ("openrlhf", "deepspeed", "flash_attn", *(("vllm",) if samples else ()))
    return dict.fromkeys(names, HOW)


def _gpus(plan: Plan, stage: TrainingStage) -> int:
    layout = layout_of(options_of(plan), stage)
    return layout.gpus - layout.idle + layout.held


SETTINGS = (
    "dual_clip",
    "entropy_coef",
    "importance_sampling_level",
    "min_p",
    "repetition_penalty",
    "eval.top_p",
    "eval.top_k",
    "eval.min_p",
    "eval.repetition_penalty",
)
"""those that not every engine has: OpenRLHF's"""
ENGINE = RayEngine(
    name="OpenRLHF",
    distribution="openrlhf",
    wheel=WHEEL,
    absent=(
        "docs/cluster.md says how to prepare its environment, `backend.address` names a Ray cluster, and "
        "`backend={use: trl}` needs neither"
    ),
    install="pip install --no-deps",
    driver="rewardlab_openrlhf.job.driver",
    # of "eval" it says itself what to do instead
    capabilities=Capabilities(
        stages=("sft", "dpo", "rl", "eval"),
        algorithms=tuple(ESTIMATORS),
        settings=frozenset(SETTINGS),
        flat_groups=("keep", "replace"),
    ),
    findings=findings,
    describe_stage=describe_stage,
    packages=("openrlhf", "vllm", "torch", "transformers", "deepspeed"),
    modules=_modules,
    gpus=_gpus,
    newest_step=newest_step,
)

lacks = ENGINE.lacks
