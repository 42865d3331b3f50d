"""Draw samples by hashes, so that the same seed gives the same ones, whatever else is in the source."""

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence

from rewardlab import Sample


def order_key(*parts: object) -> bytes:
    """Return the place of what the parts name in a random order that is the same everywhere."""
    return hashlib.sha256("/".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()


def least(samples: Iterable[Sample], count: int, key: Callable[[Sample], bytes]) -> list[Sample]:
    """Return the `count` samples with the least keys, in order of their keys; no more are held than that."""
    return heapq.nsmallest(count, samples, key=key)


def drawn_pairs(
    samples: Iterable[Sample], languages: Sequence[str], count: int, name: str
) -> Iterator[tuple[Sample, str]]:
    """Yield `count` of all pairs of a sample and a language, in a random order that `name` decides.

    Two names draw independently: of the same N pairs, n and m drawn have n * m / N in common, give or take. All samples
    are held in memory.
    """
    pairs = ((sample, language) for sample in samples for language in languages)
    yield from heapq.nsmallest(count, pairs, key=lambda pair: order_key(name, pair[0].id, pair[1]))
