"""Clusters of unit vectors by k-means, their number by the mean silhouette."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from warnings import catch_warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

MAX_FITTED = 50_000
"""rows that centroids are fitted to; of more a drawn part"""
ITERATIONS = 100
STARTS = 4
"""of k-means, of which the best counts: one start often splits a bunch and joins two others"""
BLOCK = 16_384
"""rows whose cosines are made at once"""


@dataclass(frozen=True)
class Clusters:
    """Clusters of n rows.

    Args:
        labels: (n,), the cluster of each row.
        centroids: (k, dimension), the mean of each cluster's rows, not of length 1.
        silhouette: the mean over the rows, in [-1, 1]; 0 if there is only one cluster.
    """

    labels: np.ndarray
    centroids: np.ndarray
    silhouette: float


def best_clusters(vectors: np.ndarray, counts: Sequence[int], seed: int) -> Generator[None, None, Clusters]:
    """Return the clusters with the highest silhouette; yield after each number of `counts` that was tried.

    Args:
        vectors: (n, dimension), float32, each of length 1. Of equal silhouettes the smaller number of clusters
            wins. Numbers of n or more are not tried; if no number is left, all rows are one cluster.
    """
    best = Clusters(np.zeros(len(vectors), np.int32), vectors.mean(axis=0, keepdims=True), 0.0)
    tried = False
    fitted = _drawn(vectors, seed)
    for count in sorted(set(counts)):
        if not 2 <= count < len(fitted):
            continue
        means = KMeans(count, n_init=STARTS, max_iter=ITERATIONS, random_state=seed)
        with catch_warnings(action="ignore", category=ConvergenceWarning):  # equal rows make fewer clusters
            means.fit(fitted)
        clusters = _described(vectors, means.predict(vectors))
        if len(clusters.centroids) > 1 and (not tried or clusters.silhouette > best.silhouette):
            best, tried = clusters, True
        yield
    return best


def _drawn(vectors: np.ndarray, seed: int) -> np.ndarray:
    if len(vectors) <= MAX_FITTED:
        return vectors
    chosen = np.random.default_rng(seed).choice(len(vectors), MAX_FITTED, replace=False)
    return vectors[np.sort(chosen)]


def _described(vectors: np.ndarray, labels: np.ndarray) -> Clusters:
    """Return the clusters that have rows, renumbered, with their means and silhouette."""
    used, labels = np.unique(labels, return_inverse=True)
    sums = np.zeros((len(used), vectors.shape[1]))
    for number in range(len(used)):
        sums[number] = vectors[labels == number].sum(axis=0, dtype=np.float64)
    sizes = np.bincount(labels, minlength=len(used))
    silhouette = cosine_silhouette(vectors, labels, sums, sizes) if len(used) > 1 else 0.0
    return Clusters(labels, (sums / sizes[:, None]).astype(np.float32), silhouette)


def cosine_silhouette(vectors: np.ndarray, labels: np.ndarray, sums: np.ndarray, sizes: np.ndarray) -> float:
    """Return the mean of (b - a) / max(a, b) over all rows, by cosine distances; higher is better.

    a is a row's mean distance to the others of its cluster, b the smallest to another cluster. A row that is alone in
    its cluster counts as 0.

    Args:
        sums: (k, dimension), the sum of each cluster's unit vectors; the mean distance to m of them is 1 - x.sum / m,
            so that this takes time in proportion to the rows and not to their pairs.
    """
    total = 0.0
    for start in range(0, len(vectors), BLOCK):
        own = labels[start : start + BLOCK]
        places = np.arange(len(own))
        cosines = vectors[start : start + BLOCK].astype(np.float64) @ sums.T
        others = np.maximum(sizes[own] - 1, 1)
        within = 1 - (cosines[places, own] - 1) / others  # 1: its cosine with itself
        between = 1 - cosines / sizes
        between[places, own] = np.inf
        nearest = between.min(axis=1)
        larger = np.maximum(np.maximum(within, nearest), 1e-12)
        total += float(np.where(sizes[own] > 1, (nearest - within) / larger, 0.0).sum())
    return total / len(vectors)
