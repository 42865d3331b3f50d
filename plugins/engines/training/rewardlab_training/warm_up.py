"""The warm-up of a learning rate, in steps, as every engine takes it."""

import math

from rewardlab.recipe import DpoStage, RlStage, SftStage


def warm_up_steps(stage: SftStage | DpoStage | RlStage, steps: int) -> int:
    """Return over how many of the stage's steps the learning rate rises."""
    if stage.warmup_ratio is None:
        return stage.warmup_steps
    return math.ceil(round(stage.warmup_ratio * steps, 6))  # .07 x 100 is 7, not 8
