"""The bounds of OpenRLHF's reward clip, set so wide that it never acts.

OpenRLHF clips the rewards that it is handed, by default to [-10, 10]; an advantage may be larger.
"""

import math
from dataclasses import replace

from rewardlab.plan import Interval, Plan
from rewardlab.recipe import RlStage
from rewardlab_training import whitening, whitens

SLACK = 1.01
"""for rounding in float32"""


def clip_range(plan: Plan, stage: RlStage) -> Interval | None:
    """Return bounds that the estimator's values of shaped rewards never reach; None if these have no known range."""
    shaped = _shaped(plan, stage)
    if shaped is None or not all(map(math.isfinite, shaped)):
        return None
    low, high = shaped
    if stage.algorithm == "ppo":  # takes rewards as they are
        slack = (SLACK - 1) * max(high - low, 1.0)
        return round(low - slack, 6), round(high + slack, 6)
    furthest = _furthest(plan, stage, low, high)
    bound = math.ceil((furthest or 1.0) * SLACK * 1e4) / 1e4
    return -bound, bound


def _furthest(plan: Plan, stage: RlStage, low: float, high: float) -> float:
    """Return how large an advantage can be; low, high: of the shaped rewards."""
    # of n numbers none is further from their mean than (n - 1) / sqrt(n) of their standard deviations
    if stage.algorithm == "grpo":
        return math.sqrt(stage.group_size)
    if whitening(stage.algorithm, whitens(plan)) is not None:
        return math.sqrt(stage.batch_size * stage.group_size)
    return max(abs(low), abs(high)) if plan.centred else high - low


def _shaped(plan: Plan, stage: RlStage) -> Interval | None:
    if plan.total_range is None:
        return None
    low, high = plan.total_range
    if stage.on_truncated == "zero":
        low, high = min(low, 0.0), max(high, 0.0)
    return replace(plan, total_range=(low, high)).shaped_range(stage.group_size)
