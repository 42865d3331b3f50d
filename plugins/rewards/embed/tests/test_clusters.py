"""Clusters, silhouettes and the choice within a cluster, against scikit-learn and against their definitions."""

import numpy as np
import pytest
from rewardlab_embed.relevance import Selection, choose

PAPER = Selection(nearest=0.25, nearest_of="cluster", weight=0.5, relevant_to="centroid", candidates=None)
CODE = Selection(nearest=0.25, nearest_of="chosen", weight=0.7, relevant_to="chosen", candidates=20_000)


def unit(rows):
    rows = np.asarray(rows, np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def bunches(count, each, spread, dimension=16, seed=0):
    random = np.random.default_rng(seed)
    centres = np.eye(dimension)[:count]
    rows = np.repeat(centres, each, axis=0) + spread * random.normal(size=(count * each, dimension))
    return unit(rows[random.permutation(len(rows))])


def finished(work):
    """What a generator returns."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


@pytest.fixture
def clusters():
    """The module that loads scikit-learn, for which a worker without these tests need not wait."""
    from rewardlab_embed import clusters

    return clusters


@pytest.mark.slow
def test_the_silhouette_is_that_of_scikit_learn(clusters):
    from sklearn.metrics import silhouette_score

    vectors = bunches(4, 30, 0.2)
    labels = np.random.default_rng(1).integers(0, 5, len(vectors))
    labels[labels == 4] = 3
    labels[0] = 4  # alone in its cluster
    sums = np.stack([vectors[labels == number].sum(axis=0) for number in range(5)])
    ours = clusters.cosine_silhouette(vectors, labels, sums, np.bincount(labels))
    assert ours == pytest.approx(silhouette_score(vectors, labels, metric="cosine"), abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 8])
def test_the_number_of_clusters_is_that_of_the_bunches(clusters, count):
    """With the sign of the silhouette as the paper prints it the worst number would win."""
    vectors = bunches(count, 20, 0.05)
    found = finished(clusters.best_clusters(vectors, range(3, 11), seed=0))
    assert len(found.centroids) == count
    assert found.silhouette > 0.9


def test_the_centroids_are_the_means_and_equal_seeds_give_equal_clusters(clusters):
    vectors = bunches(4, 30, 0.1)
    found, again = (finished(clusters.best_clusters(vectors, [4], seed=3)) for _ in range(2))
    assert (found.labels == again.labels).all()
    for number, centroid in enumerate(found.centroids):
        assert centroid == pytest.approx(vectors[found.labels == number].mean(axis=0), abs=1e-6)


def test_fewer_rows_than_clusters_and_equal_rows_are_one_cluster(clusters):
    for vectors in (unit([[1, 0], [0, 1]]), np.repeat(unit([[1, 2]]), 20, axis=0)):
        found = finished(clusters.best_clusters(vectors, [3, 4], seed=0))
        assert len(found.centroids) == 1
        assert found.silhouette == 0


def by_definition(vectors, wanted, how):
    """The rows in the order in which they are chosen, one by one from the formula."""
    centroid = vectors.mean(axis=0)
    distances = np.linalg.norm(vectors - centroid, axis=1)
    chosen = [int(i) for i in np.argsort(distances, kind="stable")[: how.first_part(len(vectors), wanted)]]
    while len(chosen) < wanted:
        anchor = centroid if how.relevant_to == "centroid" else vectors[chosen].mean(axis=0)
        best, worth = None, -np.inf
        for index in set(range(len(vectors))) - set(chosen):
            relevance = vectors[index] @ anchor / np.linalg.norm(anchor)
            value = how.weight * relevance - (1 - how.weight) * max(vectors[index] @ vectors[chosen].T)
            if value > worth:
                best, worth = index, value
        chosen.append(best)
    return chosen


@pytest.mark.parametrize("how", [PAPER, CODE])
@pytest.mark.parametrize("gram", [8192, 0])
def test_rows_are_chosen_as_the_formula_says(how, gram, monkeypatch):
    monkeypatch.setattr("rewardlab_embed.relevance.GRAM_ROWS", gram)
    vectors = bunches(3, 20, 0.5)
    assert finished(choose(vectors, 40, how, seed=0)).tolist() == by_definition(vectors, 40, how)


def test_the_first_part_is_a_share_of_the_cluster_or_of_the_rows_to_choose():
    assert PAPER.first_part(101, 80) == 26
    assert PAPER.first_part(100, 80) == 25
    assert PAPER.first_part(100, 20) == 20
    assert CODE.first_part(101, 80) == 20
    assert CODE.first_part(100, 3) == 1


def test_every_wanted_row_is_chosen_once_however_few_compete():
    few = Selection(nearest=0.0, nearest_of="cluster", weight=0.5, relevant_to="chosen", candidates=5)
    vectors = bunches(2, 50, 0.3)
    for wanted in (0, 1, 3, 70, 100):
        chosen = finished(choose(vectors, wanted, few, seed=0))
        assert len(set(chosen.tolist())) == wanted


def test_what_is_chosen_so_far_is_told_on_the_way():
    assert len(list(choose(bunches(2, 200, 0.3), 300, PAPER, seed=0))) > 2
