"""The rows of a dataset as the laws read them, and the source of a data step as a host hands it in."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from rewardlab import Sample

from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.outcomes.outcome import UnmetNeed

MAX_ROWS = 500


class StepSource:
    """The source that a data step starts from: only iterable, as in a recipe.

    taken: how many samples have been read, over all passes.
    """

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples
        self.taken = 0

    def __iter__(self) -> Iterator[Sample]:
        for sample in self._samples:
            self.taken += 1
            yield sample


def source_samples(tested: ComponentUnderTest) -> list[Sample]:
    """Return the example's source samples; raise UnmetNeed if it has none."""
    if not tested.example.source:
        raise UnmetNeed("needs samples to start from: source=[Sample(...)]")
    return list(tested.example.source)


@contextmanager
def open_rows(dataset: Iterable[Sample]) -> Iterator[Iterator[Sample]]:
    """Yield an iterator over the rows, and close it at the end."""
    rows = iter(dataset)
    try:
        yield rows
    finally:
        getattr(rows, "close", lambda: None)()


def read_rows(dataset: Iterable[Sample], most: int = MAX_ROWS) -> list[Sample]:
    """Return the first `most` rows."""
    with open_rows(dataset) as rows:
        return list(islice(rows, most))


def row_as_json(row: Sample) -> dict[str, Any]:
    """Return a row as JSON values, as a data stage writes it, without its source."""
    return {name: value for name, value in row.as_dict().items() if name != "source"}


def list_names(names: Iterable[str]) -> str:
    """Return names as a person lists them: 'a', 'b'."""
    return ", ".join(map(repr, names))
