"""The split of a step's rows or completions over the trainer's ranks, and what does not divide."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, Finding, RlStage, SftStage
from rewardlab_training import StageBatches, divisors

from rewardlab_openrlhf.layout import StageLayout
from rewardlab_openrlhf.memory.controller_cost import MAX_MS, controller_ms
from rewardlab_openrlhf.memory.micro_batches import largest_divisor, pass_limits
from rewardlab_openrlhf.options import Engine, options_of


@dataclass(frozen=True, kw_only=True)
class Batches:
    """The batch sizes of a stage, in rows (sft, dpo) or completions (rl)."""

    update: int
    """in one optimizer update, over all ranks"""
    micro: int
    """in one forward and backward pass of one rank"""
    rollout_micro: int
    """in one forward pass for log-probabilities"""
    tokens: "PassTokens | None" = None
    """given if micro-batches are made by their tokens"""


@dataclass(frozen=True, kw_only=True)
class PassTokens:
    """The most tokens of a micro-batch; a row that is longer is one by itself."""

    training: int
    forward: int


def batches(
    plan: Plan, stage: SftStage | DpoStage | RlStage, layout: StageLayout, longest: int | None = None
) -> Batches:
    """Return the batch sizes of a stage that has no `batch_findings`.

    What the recipe does not say is chosen so that it fits (memory.micro_batches); if so few rows fit that OpenRLHF's
    trainer process would take long for them (memory.controller_cost), by tokens. longest: tokens of the stage's longest
    prompt (rl) or row, once the rows have been read.
    """
    engine, update = options_of(plan).engine, StageBatches.of(stage).update
    if isinstance(stage, RlStage) and engine.tokens_per_gpu is not None:
        given = PassTokens(training=engine.tokens_per_gpu, forward=engine.tokens_per_gpu)
        return Batches(update=update, micro=1, rollout_micro=1, tokens=given)
    limits = pass_limits(plan, stage, layout, longest)
    micro = stage.micro_batch_size or largest_divisor(update // layout.shards, limits.training)
    rollout = engine.rollout_micro_batch_size or stage.micro_batch_size
    if rollout is None and isinstance(stage, RlStage):
        rollout = largest_divisor(_rollout_share(stage, engine, layout), limits.forward)
    if isinstance(stage, RlStage) and _by_tokens(stage, engine, rollout or micro):
        tokens = PassTokens(training=limits.training_tokens, forward=limits.forward_tokens)
        return Batches(update=update, micro=1, rollout_micro=1, tokens=tokens)
    return Batches(update=update, micro=micro, rollout_micro=rollout or micro)


def _by_tokens(stage: RlStage, engine: Engine, rows: int) -> bool:
    """Return whether micro-batches of a recipe that gives no size are made by their tokens.

    With dynamic filtering the last batch may have fewer completions than there are ranks, for which OpenRLHF then has
    no micro-batches.
    """
    given = (stage.micro_batch_size, engine.rollout_micro_batch_size, engine.dynamic_filtering)
    fits = engine.packing and all(value is None for value in given)
    return fits and controller_ms(stage.max_new_tokens, rows) > MAX_MS


def _rollout_share(stage: RlStage, engine: Engine, layout: StageLayout) -> int:
    """Return the completions of a rank for log-probabilities, of which equal micro-batches are made."""
    share = stage.batch_size * stage.group_size // layout.shards
    if engine.dynamic_filtering is None:
        return share
    # the last batch may be one group, which has to divide, too
    return math.gcd(share, stage.group_size // layout.shards if stage.group_size % layout.shards == 0 else 1)


def batch_findings(stage: SftStage | DpoStage | RlStage, engine: Engine, layout: StageLayout) -> Iterator[Finding]:
    """Yield what does not divide; paths begin at the stage.

    All ranks must get equal shares: they wait for each other at each micro-batch, for ever.
    """
    by_tokens = isinstance(stage, RlStage) and engine.tokens_per_gpu is not None
    ring = f" (rings of {layout.ring} GPUs)" if layout.ring > 1 else ""
    if by_tokens and stage.micro_batch_size:
        yield (
            ("micro_batch_size",),
            "backend.engine.tokens_per_gpu decides what a micro-batch is; leave one of them out",
        )
        stage = stage.model_copy(update={"micro_batch_size": None})
    uneven = [*StageBatches.findings(stage, layout.shards, ring)]
    yield from uneven
    if isinstance(stage, RlStage) and not by_tokens and all(path != ("updates_per_batch",) for path, _ in uneven):
        yield from _log_probabilities(stage, engine, layout.shards)


def _log_probabilities(stage: RlStage, engine: Engine, shards: int) -> Iterator[Finding]:
    micro = engine.rollout_micro_batch_size
    share = stage.batch_size * stage.group_size // shards
    if micro and share % micro:
        yield (
            ("batch_size",),
            f"{share} completions on each of {shards} ranks do not divide into "
            f"backend.engine.rollout_micro_batch_size, {micro}; {divisors(share)}",
        )
