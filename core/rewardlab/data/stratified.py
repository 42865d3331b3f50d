"""Samples taken evenly over the values of some fields."""

from collections.abc import Sequence
from typing import Any

from rewardlab.types import Sample


def stratified_sample(samples: Sequence[Sample], most: int | None, by: Sequence[str]) -> list[Sample]:
    """Return at most `most` samples (None: all), taken in turn from each combination of values of the fields `by`."""
    if most is None or most >= len(samples):
        return list(samples)
    bins: dict[tuple[Any, ...], list[Sample]] = {}
    for sample in samples:
        bins.setdefault(tuple(str(sample.fields.get(field)) for field in by), []).append(sample)
    queues = list(bins.values())
    longest = max(map(len, queues))
    in_turn = [queue[round_] for round_ in range(longest) for queue in queues if round_ < len(queue)]
    return in_turn[:most]
