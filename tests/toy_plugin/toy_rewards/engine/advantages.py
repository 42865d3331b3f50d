"""Advantages of one group, from its shaped rewards."""

import math
import statistics
from collections.abc import Callable, Sequence

from rewardlab.training import ScoredGroup

SCALES: dict[str, Callable[[Sequence[float]], float]] = {
    "dr_grpo": lambda present: 1.0,
    "grpo": lambda present: 1 / (statistics.stdev(present) + 1e-4),
}
"""algorithm -> what the distance of each shaped reward from the group's mean is multiplied by"""


def advantages(algorithm: str, group: ScoredGroup) -> list[float]:
    """Return G advantages: (r - mean) * scale; 0 for a completion without a total, which no mean counts."""
    present = [shaped for shaped, total in zip(group.shaped, group.totals, strict=True) if total is not None]
    if len(present) < 2:
        return [0.0] * len(group.totals)
    mean, scale = math.fsum(present) / len(present), SCALES[algorithm](present)
    pairs = zip(group.shaped, group.totals, strict=True)
    return [0.0 if total is None else (shaped - mean) * scale for shaped, total in pairs]
