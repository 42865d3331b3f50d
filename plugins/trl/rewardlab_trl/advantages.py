"""The advantages of a step's groups, computed here so that samples without a value leave every statistic.

TRL is run with `scale_rewards="none"`: it subtracts the group's mean and nothing else. Each group below has mean 0, so
it trains on exactly the advantages that are computed here.
"""

import math
from collections.abc import Sequence

from rewardlab.training import ScoredGroup

EPSILON = 1e-4  # TRL's own, in its division by the standard deviation


def advantages(algorithm: str, groups: Sequence[ScoredGroup]) -> list[float]:
    """Return B x G advantages, group after group; 0 for a sample without a total, which no mean or deviation counts.

    grpo: (r - mean) / (std + 1e-4) by group, std with G - 1 (DeepSeekMath, eq. 2.2).
    dr_grpo: r - mean by group (Liu et al. 2025).
    rloo: r minus the mean of the others, which is (r - mean) * G / (G - 1) (Ahmadian et al. 2024, eq. 5).
    reinforce_baseline: r - mean by group, divided by the standard deviation of these over the batch, with the
    number of samples, + 1e-4 (REINFORCE++-baseline, Hu et al. 2025).
    """
    values: list[float] = []
    count = 0
    for group in groups:
        present = [shaped for shaped, total in zip(group.shaped, group.totals, strict=True) if total is not None]
        count += len(present)
        mean = math.fsum(present) / len(present) if present else 0.0
        scale = _scale(algorithm, present, mean)
        for shaped, total in zip(group.shaped, group.totals, strict=True):
            values.append(0.0 if total is None else (shaped - mean) * scale)
    if algorithm == "reinforce_baseline":
        spread = math.sqrt(math.fsum(v * v for v in values) / max(1, count))
        values = [v / (spread + EPSILON) for v in values]
    return values


def _scale(algorithm: str, present: Sequence[float], mean: float) -> float:
    count = len(present)
    if count < 2:
        return 0.0
    if algorithm == "grpo":
        return 1 / (math.sqrt(math.fsum((v - mean) ** 2 for v in present) / (count - 1)) + EPSILON)
    if algorithm == "rloo":
        return count / (count - 1)
    return 1.0
