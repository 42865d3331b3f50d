"""OpenRLHF among the engines on Ray: what its jobs import, how many GPUs they take, how far a stage is."""

from collections.abc import Mapping

from rewardlab.plan import Plan
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.stage_task import TrainingStage

from rewardlab_openrlhf.engine_arguments import what_is_wrong
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


ENGINE = RayEngine(
    name="OpenRLHF",
    driver="rewardlab_openrlhf.job.driver",
    packages=("openrlhf", "vllm", "torch", "transformers", "deepspeed"),
    what_is_wrong=what_is_wrong,
    modules=_modules,
    gpus=_gpus,
    newest_step=newest_step,
)
