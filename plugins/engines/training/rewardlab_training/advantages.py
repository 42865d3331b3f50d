"""Advantages of scored groups, computed once for every engine; samples without a value leave every statistic.

An engine's trainer takes these numbers as they are: it subtracts no mean of its own and divides by nothing, since a
group whose baseline is the mean of a larger pool has a mean of its own. So equal ledgers train on equal advantages,
whatever the engine.
"""

import math
from collections.abc import Sequence

from rewardlab.plan import Plan
from rewardlab.scoring import ScoredGroup

CENTRED = ("grpo", "dr_grpo", "rloo", "reinforce_baseline")
"""the algorithms whose advantages are computed here; the others need a critic"""
ADVANTAGES = {
    "grpo": "advantage (r - mean) / std within the group (with G - 1), computed here",
    "dr_grpo": "advantage r - mean within the group, computed here",
    "rloo": "advantage r - mean of the others, computed here; the engine clips the ratio by token, the paper nothing",
    "reinforce_baseline": "advantage r - mean within the group, over the deviation of the step, computed here",
    "ppo": "generalized advantages of a critic, whitened over the tokens of the step",
}
"""algorithm -> its advantages in words"""
EPSILON = 1e-4  # TRL's own, in its division by the standard deviation


def batch_advantages(algorithm: str, groups: Sequence[ScoredGroup], whitens: bool = False) -> list[float]:
    """Return B x G advantages, group after group; 0 for a sample without a total, which no mean or deviation counts.

    As `group_advantages`, and `whitened` over all of them as `whitening` says.
    """
    values = [value for group in groups for value in group_advantages(algorithm, group)]
    off = whitening(algorithm, whitens)
    if off is None:
        return values
    return whitened(values, sum(total is not None for group in groups for total in group.totals), off)


def whitening(algorithm: str, whitens: bool) -> int | None:
    """Return how `whitened` divides the advantages of a step: 0 by n, 1 by n - 1; None if nothing whitens them.

    By n with reinforce_baseline (REINFORCE++-baseline, Hu et al. 2025), by n - 1 if a normalizer whitens (GDPO).
    """
    return 0 if algorithm == "reinforce_baseline" else 1 if whitens else None


def whitens(plan: Plan) -> bool:
    """Return whether a normalizer of a plan wants its values divided by their deviation over the step."""
    asked = [(normalizer, normalizer.spec.whitens) for normalizer in plan.normalizers]
    return any(function and part.ask("whether it whitens", function, part.options) for part, function in asked)


def whitened(values: Sequence[float], count: int, whitening: int = 0) -> list[float]:
    """Return the centred rewards of a step over their standard deviation + 1e-4.

    Args:
        count: of the samples that have a value. The others are 0 in `values`, and vote neither on the mean, which
            is 0 already, nor on the deviation.
        whitening: taken off their number, as the function of that name says.
    """
    spread = math.sqrt(math.fsum(v * v for v in values) / max(1, count - whitening))
    return [v / (spread + EPSILON) for v in values]


def group_advantages(algorithm: str, group: ScoredGroup) -> list[float]:
    """Return G advantages; 0 for a sample without a total, and for a whole group whose others are all equal.

    grpo: (r - mean) / (std + 1e-4), std with G - 1 (DeepSeekMath, eq. 2.2).
    dr_grpo: r - mean (Liu et al. 2025).
    rloo: r minus the mean of the others, which is (r - mean) * G / (G - 1) (Ahmadian et al. 2024, eq. 5).
    reinforce_baseline: r - mean, which is still to be whitened over the batch.
    If a normalizer has taken a mean off, its values are the advantages (dr_grpo alone goes with normalizers).
    """
    if group.centred:
        return [0.0 if total is None else shaped for shaped, total in zip(group.shaped, group.totals, strict=True)]
    present = [shaped for shaped, total in zip(group.shaped, group.totals, strict=True) if total is not None]
    if not present or min(present) == max(present):  # rounding would leave a little, and a division make much of it
        return [0.0] * len(group.totals)
    mean = math.fsum(present) / len(present)
    scale = _scale(algorithm, present, mean)
    return [
        0.0 if total is None else (shaped - mean) * scale
        for shaped, total in zip(group.shaped, group.totals, strict=True)
    ]


def _scale(algorithm: str, present: Sequence[float], mean: float) -> float:
    count = len(present)
    if algorithm == "grpo":
        return 1 / (math.sqrt(math.fsum((v - mean) ** 2 for v in present) / (count - 1)) + EPSILON)
    if algorithm == "rloo":
        return count / (count - 1)
    return 1.0
