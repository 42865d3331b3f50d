"""Checks of a recipe for the trl backend, without importing an engine: every number is used or refused."""

from collections.abc import Iterator, Sequence

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, EvalStage, Finding, RlStage, SftStage, Stage
from rewardlab.training import Lora, StageBatches

from rewardlab_trl.options import options_of

LOSSES = {"token_mean": "dapo", "seq_mean": "grpo", "constant": "dr_grpo"}
"""our `loss` -> TRL's loss_type"""

PAPER_LOSS = {
    "grpo": "seq_mean",
    "dr_grpo": "constant",
    "rloo": "constant",
    "reinforce_baseline": "token_mean",
}
"""algorithm -> the loss nearest to its paper: RLOO sums log-probabilities by sequence, REINFORCE++ averages them"""


def findings(plan: Plan) -> Iterator[Finding]:
    """Yield every reason why this backend cannot do what the recipe says, beyond its capabilities."""
    yield from _backend(plan)
    for index, stage in enumerate(plan.recipe.stages):
        yield from ((("stages", index, *path), what) for path, what in _stage(stage, options_of(plan).ranks))


def _backend(plan: Plan) -> Iterator[Finding]:
    backend = options_of(plan)
    if backend.nodes > 1:
        yield ("backend", "nodes"), "trl trains on one machine; several need `use: openrlhf`"
    if backend.gpus_per_node and backend.gpus_per_node != backend.ranks:
        what = f"{backend.ranks} is not the {backend.gpus_per_node} of gpus_per_node: each process trains on one GPU"
        yield ("backend", "processes"), f"{what}; leave one of the two out"
    if backend.lora is not None:
        yield from ((("backend", *path), what) for path, what in _lora(backend.lora, plan.recipe.stages))
    if backend.device == "cpu" and backend.precision == "bf16":
        yield ("backend", "precision"), "bf16 needs a GPU; use fp32 on a CPU"
    yield from backend.lacking()


def _lora(lora: Lora, stages: Sequence[Stage]) -> Iterator[Finding]:
    trained = [stage for stage in stages if isinstance(stage, SftStage | DpoStage | RlStage)]
    if lora.dropout and trained and all(isinstance(stage, RlStage) for stage in trained):
        yield (
            ("lora", "dropout"),
            "rl trains without dropout, so that the policy that learns is the one that was sampled; leave it out",
        )


def _stage(stage: Stage, ranks: int) -> Iterator[Finding]:
    if isinstance(stage, RlStage):
        yield from _rl(stage)
    if isinstance(stage, SftStage | DpoStage | RlStage):
        yield from StageBatches.findings(stage, ranks)
    if isinstance(stage, RlStage | EvalStage) and stage.stop:
        yield (
            ("stop",),
            "TRL takes a completion to end at an end token only, and would train on the padding after a stop string; "
            "use `use: openrlhf`, or a reward that reads the completion up to there",
        )


def _rl(stage: RlStage) -> Iterator[Finding]:
    if stage.kl.coef:
        if stage.kl.into == "reward":
            yield ("kl", "in"), "trl puts the penalty into the loss; use `in: loss`"
        elif stage.kl.estimator != "k3":
            yield ("kl", "estimator"), f"trl estimates it with k3, not {stage.kl.estimator}"
