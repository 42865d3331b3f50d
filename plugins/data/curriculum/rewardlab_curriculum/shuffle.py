"""Put samples into a random order that is the same in every process and for every order of the file."""

from collections.abc import Sequence

from rewardlab import Sample
from rewardlab_training import shuffled


class Shuffle:
    """An order by the rank of sha256(seed, id): adding or removing a row leaves the other samples in their order."""

    def __init__(self, *_: object) -> None:
        """Take options and context, which decide nothing."""

    def order(self, samples: Sequence[Sample], seed: int) -> list[int]:
        """Return a permutation of range(len(samples)). Samples with the same id keep their order in the file."""
        return shuffled(samples, seed)
