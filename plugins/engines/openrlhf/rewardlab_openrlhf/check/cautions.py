"""Warnings of `check` and `run`: things that OpenRLHF can do as a recipe says, and its author may not mean."""

from collections.abc import Iterator

from rewardlab.plan import Plan
from rewardlab.recipe import DataStage, EvalStage, Finding, RlStage

from rewardlab_openrlhf.compile.rl import PAPER_LOSS
from rewardlab_openrlhf.layout import LayoutError, layout_of
from rewardlab_openrlhf.memory import misfits
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import TrainingStage


def cautions(plan: Plan) -> list[Finding]:
    """Return the warnings about a plan that passes `check`."""
    findings: list[Finding] = [*_stale(plan)]
    for index, stage in enumerate(plan.recipe.stages):
        if not isinstance(stage, DataStage | EvalStage):
            findings += [(("stages", index, *path), problem) for path, problem in _stage(stage)]
            findings += _memory(plan, stage)
    return list(dict.fromkeys(findings))


def _stale(plan: Plan) -> Iterator[Finding]:
    engine = options_of(plan).engine
    if engine.asynchronous is not None and engine.correction is None:
        yield (
            ("backend", "engine", "asynchronous"),
            "without `correction` nothing accounts for completions that come from older weights: OpenRLHF takes its "
            "probability ratios from the trainer's own, at which every completion begins anew; "
            "correction: {} drops tokens whose ratio to the rollout engine's is outside of [0.5, 5]",
        )


def _stage(stage: TrainingStage) -> Iterator[Finding]:
    if not isinstance(stage, RlStage) or not stage.kl.coef:
        return
    if stage.kl.into == "reward" and stage.kl.estimator != "k1":
        yield (
            ("kl", "estimator"),
            f"in the reward only k1 has the gradient of the divergence; {stage.kl.estimator} there pulls elsewhere",
        )
    if stage.kl.into == "loss" and stage.kl.estimator == "k1":
        yield ("kl", "estimator"), "in the loss k1 has no effect on average; use k2 or k3"
    if stage.kl.into == "loss" and (stage.loss or PAPER_LOSS[stage.algorithm]) == "seq_mean":
        yield (
            ("kl", "coef"),
            "with loss seq_mean OpenRLHF still averages the KL over the update's tokens, so that long completions "
            "count more in it than in the loss; loss: token_mean averages both so",
        )


def _memory(plan: Plan, stage: TrainingStage) -> Iterator[Finding]:
    try:
        layout = layout_of(options_of(plan), stage)
    except LayoutError:  # a problem of `check`
        return
    for why in misfits(plan, stage, layout):
        yield ("backend", "gib_per_gpu"), f"stage {stage.use} does not fit: {why}"
