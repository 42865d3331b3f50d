"""A random order of samples that is the same in every process and for every order of the file."""

import hashlib
import json
from collections.abc import Sequence

from rewardlab.types import Sample


def shuffled(samples: Sequence[Sample], seed: int) -> list[int]:
    """Return a permutation of range(len(samples)), by the rank of sha256(seed, id).

    Adding or removing a row leaves the others in their order. Samples with the same id keep their order in the file.
    """
    keys = [hashlib.sha256(json.dumps([seed, sample.id]).encode()).digest() for sample in samples]
    return sorted(range(len(keys)), key=keys.__getitem__)
