"""The sides of a group's outcomes, for engines that leave out by themselves what is equal for all."""

from rewardlab import ScoredGroup
from rewardlab.scoring import ROUNDING


def sides(group: ScoredGroup, outcome: str) -> list[float]:
    """Return 0 for each member of a group that is left out, else 0 or 1: the half of its range that a value is in.

    Engines compare to the last bit, or means. So both sides are there if the group teaches; a member without a value
    or a total, and so without a vote, is at 0.
    """
    scores = zip(group.components[outcome], group.totals, strict=True)
    values = [None if total is None else score.value for score, total in scores]
    present = [value for value in values if value is not None]
    if group.left_out is not None or not present:
        return [0.0] * len(values)
    low, high = min(present), max(present)
    if high - low <= ROUNDING * max(1.0, abs(low), abs(high)):  # others of its pool differ; else it is of an evaluation
        return [float(group.centred and place == values.index(present[0])) for place in range(len(values))]
    return [0.0 if value is None else float(value - low > (high - low) / 2) for value in values]
