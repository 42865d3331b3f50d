"""Put samples into a random order that is the same in every process and for every order of the file."""

import hashlib
import json
from collections.abc import Sequence

from rewardlab import Sample


class Shuffle:
    """An order by the rank of sha256(seed, id): adding or removing a row leaves the other samples in their order."""

    def order(self, samples: Sequence[Sample], seed: int) -> list[int]:
        """Return a permutation of range(len(samples)). Samples with the same id keep their order in the file."""
        keys = [hashlib.sha256(json.dumps([seed, sample.id]).encode()).digest() for sample in samples]
        return sorted(range(len(keys)), key=keys.__getitem__)
