"""Leave samples in the order of their dataset."""

from collections.abc import Sequence

from rewardlab import Sample


class FileOrder:
    """The order in which the dataset gives its samples."""

    def __init__(self, *_: object) -> None:
        """Take options and context, which decide nothing."""

    def order(self, samples: Sequence[Sample], seed: int) -> list[int]:
        """Return range(len(samples))."""
        return list(range(len(samples)))
