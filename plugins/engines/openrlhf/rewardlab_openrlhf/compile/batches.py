"""The batches of a stage: what a step has is split over the trainer's ranks, and then into micro-batches.

OpenRLHF divides the loss by what the whole update has, so micro-batches change speed and memory only.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, Finding, RlStage, SftStage
from rewardlab_training import StageBatches, divisors

from rewardlab_openrlhf.layout import StageLayout
from rewardlab_openrlhf.options import Engine, options_of

ASSUMED_PROMPT = 1024
"""tokens of the longest prompt, if neither the recipe nor the rows have said it yet"""
ASSUMED_ROW = 4096
"""tokens of the longest row of sft and dpo, if neither the recipe nor the rows have said it yet"""


@dataclass(frozen=True, kw_only=True)
class Batches:
    """The batch sizes of a stage, in rows (sft, dpo) or completions (rl)."""

    update: int
    """in one optimizer update, over all ranks"""
    micro: int
    """in one forward and backward pass of one rank"""
    rollout_micro: int
    """in one forward pass for log-probabilities"""
    tokens: int | None = None
    """the most tokens of a micro-batch, if its rows do not count; a longer row is one by itself"""
    longest: int
    """tokens of the longest row on one GPU; of both rows of a pair"""


def batches(
    plan: Plan, stage: SftStage | DpoStage | RlStage, layout: StageLayout, longest: int | None = None
) -> Batches:
    """Return the batch sizes of a stage that has no `batch_findings`.

    Without a size in the recipe, OpenRLHF makes micro-batches of `tokens_per_gpu` tokens where it can; where it cannot,
    they have as many rows as would be no more tokens, were all as long as the longest.

    Args:
        longest: tokens of the stage's longest prompt (rl) or row, once the rows have been read.
    """
    engine, update = options_of(plan).engine, StageBatches.of(stage).update
    longest = longest_row(stage, engine.context, longest, layout)
    if _by_tokens(plan, stage):
        return Batches(update=update, micro=1, rollout_micro=1, tokens=engine.tokens_per_gpu, longest=longest)
    most = max(1, engine.tokens_per_gpu // longest)
    micro = stage.micro_batch_size or largest_divisor(update // layout.shards, most)
    forward = engine.rollout_micro_batch_size or stage.micro_batch_size
    if forward is None:
        forward = largest_divisor(_rollout_share(plan, stage, layout), most) if isinstance(stage, RlStage) else micro
    return Batches(update=update, micro=micro, rollout_micro=forward, longest=longest)


def _by_tokens(plan: Plan, stage: SftStage | DpoStage | RlStage) -> bool:
    """Return whether OpenRLHF makes micro-batches by their tokens.

    It has that for rl with packed rows. Where groups are replaced, the last batch may have fewer completions than there
    are ranks, for which it then has no micro-batches.
    """
    engine = options_of(plan).engine
    by_rows = stage.micro_batch_size or engine.rollout_micro_batch_size or plan.replaces_groups
    return isinstance(stage, RlStage) and engine.packing and not by_rows


def _rollout_share(plan: Plan, stage: RlStage, layout: StageLayout) -> int:
    """Return the completions of a rank for log-probabilities, of which equal micro-batches are made."""
    share = stage.batch_size * stage.group_size // layout.shards
    if not plan.replaces_groups:
        return share
    # the last batch may be one group, which has to divide, too
    return math.gcd(share, stage.group_size // layout.shards if stage.group_size % layout.shards == 0 else 1)


def longest_row(
    stage: SftStage | DpoStage | RlStage, context: int | None, longest: int | None, layout: StageLayout
) -> int:
    """Return the tokens of the longest row that one GPU sees; `context` is the rollout engine's limit."""
    if isinstance(stage, RlStage):
        prompt = longest or stage.max_prompt_tokens or ASSUMED_PROMPT
        tokens = min(prompt + stage.max_new_tokens, context or math.inf)
    else:
        tokens = stage.max_tokens or longest or ASSUMED_ROW
    pair = 2 if isinstance(stage, DpoStage) else 1  # both responses go through the model together
    return math.ceil(pair * tokens / layout.ring)


def largest_divisor(share: int, most: int) -> int:
    """Return the largest divisor of `share` that is not more than `most`, for equal micro-batches."""
    return next(rows for rows in range(min(share, most), 0, -1) if share % rows == 0)


def batch_findings(stage: SftStage | DpoStage | RlStage, engine: Engine, layout: StageLayout) -> Iterator[Finding]:
    """Yield what does not divide; paths begin at the stage.

    All ranks must get equal shares: they wait for each other at each micro-batch, for ever.
    """
    ring = f" (rings of {layout.ring} GPUs)" if layout.ring > 1 else ""
    uneven = [*StageBatches.findings(stage, layout.shards, ring)]
    yield from uneven
    micro = engine.rollout_micro_batch_size
    if not isinstance(stage, RlStage) or not micro or any(path == ("updates_per_batch",) for path, _ in uneven):
        return
    share = stage.batch_size * stage.group_size // layout.shards
    if share % micro:
        yield (
            ("batch_size",),
            f"{share} completions on each of {layout.shards} ranks do not divide into "
            f"backend.engine.rollout_micro_batch_size, {micro}; {divisors(share)}",
        )
