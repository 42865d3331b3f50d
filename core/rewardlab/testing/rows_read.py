"""The rows of a dataset as the laws read them, and the source of a data step as a host gives it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from rewardlab.testing.outcome import Untried
from rewardlab.testing.trial import Trial
from rewardlab.types import Sample

MOST_ROWS = 500


class Source:
    """What a step starts from: only iterable, as in a recipe. taken: samples that were read, over all passes."""

    def __init__(self, samples: Sequence[Sample]):
        self._samples = samples
        self.taken = 0

    def __iter__(self) -> Iterator[Sample]:
        for sample in self._samples:
            self.taken += 1
            yield sample


def source_of(tested: Trial) -> list[Sample]:
    """The example's; Untried where it has none."""
    if not tested.example.source:
        raise Untried("needs samples to start from: source=[Sample(...)]")
    return list(tested.example.source)


@contextmanager
def iterated(dataset: Iterable[Sample]) -> Iterator[Iterator[Sample]]:
    """A pass over the rows, which ends here."""
    rows = iter(dataset)
    try:
        yield rows
    finally:
        getattr(rows, "close", lambda: None)()


def read(dataset: Iterable[Sample], most: int = MOST_ROWS) -> list[Sample]:
    """The first `most` rows."""
    with iterated(dataset) as rows:
        return list(islice(rows, most))


def row_as_json(row: Sample) -> dict[str, Any]:
    """What a data stage writes of it, but for its source."""
    return {"id": row.id, "prompt": [dict(message) for message in row.prompt], "fields": dict(row.fields)}


def listed(names: Iterable[str]) -> str:
    """Names as a person lists them."""
    return ", ".join(map(repr, names))
