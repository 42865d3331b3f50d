"""Checks of `backend.engine`: what OpenRLHF cannot do, or cannot do together."""

from collections.abc import Iterator

from rewardlab.recipe import DpoStage, Finding, RlStage

from rewardlab_openrlhf.compile.extra_arguments import extra_argument_findings
from rewardlab_openrlhf.options import Correction, Engine
from rewardlab_openrlhf.stage_files import TrainingStage


def engine_findings(engine: Engine, stages: list[TrainingStage]) -> Iterator[Finding]:
    """Yield what is wrong with `engine` for the training stages of a recipe; paths begin at `engine`."""
    if engine.packing and "flash_attention" not in engine.attention:
        yield ("packing",), f"needs flash attention, not {engine.attention}; set packing: false to train without"
    if engine.ring_attention > 1 and not engine.packing:
        yield ("ring_attention",), "needs packing"
    if engine.asynchronous is not None and engine.colocate:
        yield ("asynchronous",), "needs engines with GPUs of their own; set colocate: false"
    if engine.generate_batch is not None and engine.asynchronous is None:
        yield ("generate_batch",), "needs `asynchronous`, whose queue holds what is ahead"
    if engine.offload_reference:
        yield from _offload(engine, stages)
    if engine.lora is not None:
        yield from _lora(stages)
    if engine.correction is not None:
        yield from _correction(engine.correction)
    if any(isinstance(stage, RlStage) for stage in stages) and _sleeps_without_zero(engine):
        yield (
            ("zero_stage",),
            "0 leaves DeepSpeed no states to move off the GPU; use 1 or more, sleep: false, or offload_optimizer: true",
        )
    for name, why in extra_argument_findings(stages, engine.arguments):
        yield ("arguments", name), why


def _offload(engine: Engine, stages: list[TrainingStage]) -> Iterator[Finding]:
    if not any(isinstance(stage, DpoStage) or (isinstance(stage, RlStage) and stage.kl.coef) for stage in stages):
        yield ("offload_reference",), "no stage has a reference: that is dpo, or rl with a kl"
    elif engine.zero_stage != 3:
        yield ("offload_reference",), "needs zero_stage: 3; DeepSpeed keeps a reference that is not split on its GPU"


def _lora(stages: list[TrainingStage]) -> Iterator[Finding]:
    if any(isinstance(stage, RlStage) for stage in stages):
        yield (
            ("lora",),
            "OpenRLHF sends adapters to its rollout engines as they are, under names that vLLM does not know; verl has "
            "them in rl (`engine.lora`), and so has trl (`lora`), or train the whole model (zero_stage: 3 and "
            "offload_optimizer: true need the least memory)",
        )


def _correction(correction: Correction) -> Iterator[Finding]:
    low_high = correction.bounds if len(correction.bounds) == 2 else [0.0, *correction.bounds]
    if not low_high[0] < low_high[1]:
        yield ("correction", "bounds"), "the lower must be less than the upper"
    if correction.mode == "clip" and (correction.level == "seq" or correction.gating != "ratio"):
        yield ("correction", "mode"), "clip goes with level: token and gating: ratio only; else mask"
    if correction.gating != "ratio" and low_high[0] > 0:
        yield (
            ("correction", "bounds"),
            f"gating: {correction.gating} measures a distance, which has an upper bound only, such as [0.05]",
        )


def _sleeps_without_zero(engine: Engine) -> bool:
    return engine.colocate and engine.sleep and engine.zero_stage == 0 and not engine.offload_optimizer
