"""The outcomes of a group's members: whether they differ, by a component and not by the shaped total."""

from rewardlab import ScoredGroup

EQUAL = 1e-6
"""of the largest value, or of 1: values that differ by less are equal but for rounding in single precision"""


def outcome_sides(group: ScoredGroup, component: str) -> list[float]:
    """Return for each member 0 or 1, by the half of the group's range that its value is in; 0 for all of a flat group.

    A member without a value has no vote: it is at 0, and there both sides are taken by others, or the group is flat.
    """
    values = [score.value for score in group.components[component]]
    present = [value for value in values if value is not None]
    low, high = min(present, default=0.0), max(present, default=0.0)
    if high - low <= EQUAL * max(1.0, abs(low), abs(high)):
        return [0.0] * len(values)
    return [0.0 if value is None else float(value - low > (high - low) / 2) for value in values]
