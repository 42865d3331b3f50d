"""Choose rows of a cluster: the nearest to its centroid, then by maximal marginal relevance."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

import numpy as np

GRAM_ROWS = 8_192
"""of a cluster up to this size all cosines are made at once: 256 MiB"""
YIELD_EVERY = 64


@dataclass(frozen=True)
class Selection:
    """The way in which rows of a cluster are chosen.

    Args:
        nearest: a share, in [0, 1].
        nearest_of: whether it is a share of the cluster (rounded up) or of the rows to choose (rounded down, at
            least 1).
        weight: of relevance, in [0, 1]; the rest is that of unlikeness to what is chosen.
        relevant_to: the centroid, or the mean of the rows chosen so far.
        candidates: the most rows that compete for the second part, drawn; None: all.
    """

    nearest: float
    nearest_of: Literal["cluster", "chosen"]
    weight: float
    relevant_to: Literal["centroid", "chosen"]
    candidates: int | None

    def first_part(self, size: int, wanted: int) -> int:
        """Return how many of `wanted` rows are the nearest to the centroid, in a cluster of `size`."""
        if self.nearest_of == "cluster":
            return min(wanted, int(np.ceil(round(self.nearest * size, 9))))
        return min(wanted, max(1, int(self.nearest * wanted)))


def choose(vectors: np.ndarray, wanted: int, how: Selection, seed: int) -> Generator[None, None, np.ndarray]:
    """Return the indices of `wanted` rows, in the order of their choice; yield after every YIELD_EVERY of them.

    Args:
        vectors: (n, dimension), float32, each of length 1.
        wanted: from 0 to n. Of equal rows the first is chosen.
    """
    wanted = min(wanted, len(vectors))
    centroid = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    near = np.argsort(_square_distances(vectors, centroid), kind="stable")[: how.first_part(len(vectors), wanted)]
    if len(near) == wanted:
        return near
    pool = _candidates(len(vectors), near, wanted - len(near), how.candidates, seed)
    chosen = yield from _by_relevance(vectors, near, pool, wanted - len(near), how, centroid)
    return np.concatenate([near, chosen])


def _square_distances(vectors: np.ndarray, centroid: np.ndarray) -> np.ndarray:
    return 1 - 2 * (vectors @ centroid) + float(centroid @ centroid)


def _candidates(count: int, taken: np.ndarray, wanted: int, most: int | None, seed: int) -> np.ndarray:
    free = np.setdiff1d(np.arange(count), taken)
    if most is None or len(free) <= max(most, wanted):
        return free
    return np.sort(np.random.default_rng(seed).choice(free, max(most, wanted), replace=False))


def _by_relevance(
    vectors: np.ndarray, near: np.ndarray, pool: np.ndarray, wanted: int, how: Selection, centroid: np.ndarray
) -> Generator[None, None, np.ndarray]:
    free, already = vectors[pool], vectors[near]
    total = already.sum(axis=0, dtype=np.float64)
    highest, summed = _nearest_cosines(free, already), free @ total.astype(np.float32)
    length, count = float(np.linalg.norm(total)), len(near)
    to_centroid = free @ (centroid / max(float(np.linalg.norm(centroid)), 1e-12))
    gram = free @ free.T if len(free) <= GRAM_ROWS else None
    chosen: list[int] = []
    while len(chosen) < wanted:
        relevance = to_centroid if how.relevant_to == "centroid" or not count else summed / max(length, 1e-12)
        # before the first choice there is nothing to be unlike
        worth = how.weight * relevance - (1 - how.weight) * (highest if count else 0)
        worth[chosen] = -np.inf
        best = int(worth.argmax())
        cosines = gram[best] if gram is not None else free @ free[best]
        np.maximum(highest, cosines, out=highest)
        summed, total = summed + cosines, total + free[best]
        length, count = float(np.linalg.norm(total)), count + 1
        chosen.append(best)
        if len(chosen) % YIELD_EVERY == 0:
            yield
    return pool[chosen]


def _nearest_cosines(vectors: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the highest cosine of each row with `others`, -inf if `others` is empty."""
    highest = np.full(len(vectors), -np.inf, np.float32)
    for start in range(0, len(others), 1024):
        for block in range(0, len(vectors), 16_384):
            part = slice(block, block + 16_384)
            cosines = vectors[part] @ others[start : start + 1024].T
            np.maximum(highest[part], cosines.max(axis=1), out=highest[part])
    return highest
