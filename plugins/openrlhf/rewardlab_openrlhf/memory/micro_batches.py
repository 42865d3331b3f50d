"""The default of a stage's micro-batches: as many rows as a share of the GPU holds, were all as long as can be.

OpenRLHF divides the loss by what the whole update has, so micro-batches change speed and memory only.
"""

import math
from dataclasses import dataclass

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage, SftStage

from rewardlab_openrlhf.layout import StageLayout
from rewardlab_openrlhf.memory.model_sizes import model_sizes
from rewardlab_openrlhf.memory.token_costs import forward_bytes, training_bytes
from rewardlab_openrlhf.options import options_of

GIB = 2**30
ASSUMED_GIB = 80.0
"""a GPU's memory if `backend.gib_per_gpu` does not say it"""
SHARE = 0.25
"""of a GPU's memory for what a micro-batch adds"""
ASSUMED_PROMPT = 1024
"""tokens of the longest prompt, if neither the recipe nor the rows have said it yet"""
ASSUMED_ROW = 4096
"""tokens of the longest row of sft and dpo, if neither the recipe nor the rows have said it yet"""


ROUNDED_DOWN = 2
"""times the tokens that a micro-batch may have: OpenRLHF rounds their number down to a multiple of the ranks"""


@dataclass(frozen=True, kw_only=True)
class PassLimits:
    """The most rows of one pass."""

    training: int
    forward: int
    tokens: int
    """of the longest row on one GPU; of both rows of a pair"""
    training_tokens: int
    """the most tokens of one pass, for micro-batches that are made by their tokens"""
    forward_tokens: int


def pass_limits(
    plan: Plan, stage: SftStage | DpoStage | RlStage, layout: StageLayout, longest: int | None
) -> PassLimits:
    """Return the most rows whose passes take `SHARE` of a GPU at the most, and 1 if one row takes more.

    longest: tokens of the stage's longest prompt (rl) or row, once the rows have been read.
    """
    backend, model = options_of(plan), model_sizes(plan.recipe.model)
    tokens = longest_row(stage, backend.engine.context, longest, layout)
    room = (backend.gib_per_gpu or ASSUMED_GIB) * GIB * SHARE
    training = room / training_bytes(model, backend.gradient_checkpointing)
    forward = room / forward_bytes(model)
    return PassLimits(
        training=max(1, int(training / tokens)),
        forward=max(1, int(forward / tokens)),
        tokens=tokens,
        training_tokens=max(1, int(training)),
        forward_tokens=max(1, int(forward / ROUNDED_DOWN)),
    )


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
