"""Orders of rows and samples of them, the same for the same seed and the same rows."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from rewardlab import Sample


def shuffled(samples: Sequence[Sample], seed: int) -> list[int]:
    """Return a permutation of range(len(samples)), by the rank of sha256(seed, id).

    Adding or removing a row leaves the others in their order. Samples with the same id keep their order in the file.
    """
    keys = [hashlib.sha256(json.dumps([seed, sample.id]).encode()).digest() for sample in samples]
    return sorted(range(len(keys)), key=keys.__getitem__)


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
