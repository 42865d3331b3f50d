"""Kendall's tau-b, Cohen's kappa and intervals against cases worked out by hand, and their laws."""

import math
import random

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_measure.judge_agreement.measures import cluster_interval, cohen_kappa, kappa_average
from rewardlab_measure.tables.clusters import clusters_of
from rewardlab_training import kendall_tau_b

few = st.integers(min_value=-2, max_value=2).map(float)
rankings = st.lists(st.tuples(few, few), max_size=9)


@each_case(
    "one, other, tau",
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 2, 3, 4], [1, 3, 2, 4], 4 / 6),  # 5 pairs agree, 1 does not
        ([1, 1, 2], [1, 2, 3], 2 / math.sqrt(2 * 3)),  # 2 agree; 1 tied in one list, none in the other
        ([1, 1, 2, 2], [1, 2, 1, 2], 0.0),  # 1 agrees, 1 does not, 4 tied
        ([1, 1, 2, 2], [1, 1, 2, 2], 1.0),  # what is tied in both does not count
        ([0.5, 1.0, 0.0, 0.5], [2, 3, 1, 3], 4 / math.sqrt(5 * 5)),  # one tie in each list, not the same
    ],
)
def test_tau_b_by_hand(one, other, tau):
    assert kendall_tau_b(one, other) == pytest.approx(tau, abs=1e-15)


@each_case("one, other", [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [7, 7, 7])])
def test_there_is_no_tau_without_an_order_in_both(one, other):
    assert kendall_tau_b(one, other) is None


@given(rankings)
def test_tau_b_is_symmetric_and_changes_its_sign_with_the_order(pairs):
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    tau = kendall_tau_b(one, other)
    assert tau == kendall_tau_b(other, one)
    turned = kendall_tau_b([-a for a in one], other)
    assert turned == (None if tau is None else -tau)
    assert tau is None or -1 <= tau <= 1


@given(st.lists(few, min_size=2, max_size=40))
def test_every_order_agrees_fully_with_itself(values):
    assert kendall_tau_b(values, values) == (1.0 if len(set(values)) > 1 else None)


def test_tau_b_takes_lists_of_one_length_only():
    with pytest.raises(ValueError, match="shorter"):
        kendall_tau_b([1, 2, 3], [1, 2])


@each_case(
    "table, kappa",
    [
        ({"yy": 20, "yn": 5, "ny": 10, "nn": 15}, 0.4),  # 0.7 agree, 0.5 by chance
        ({"yy": 1, "nn": 1}, 1.0),
        ({"yn": 1, "ny": 1}, -1.0),
        ({"yy": 5, "yn": 5}, 0.0),  # one rater says the same of everything
        ({"yn": 3}, 0.0),
        ({"yy": 3}, None),  # nothing is left beyond chance
        ({}, None),
    ],
)
def test_kappa_by_hand(table, kappa):
    assert cohen_kappa([tuple(labels) for labels, times in table.items() for _ in range(times)]) == kappa


@each_case(
    "successes, size, interval",
    [
        (8, 10, (0.4902, 0.9433)),
        (0, 10, (0.0, 0.2775)),
        (10, 10, (0.7225, 1.0)),
    ],
)
def test_the_interval_of_what_is_independent_is_wilsons(successes, size, interval):
    values = [1.0] * successes + [0.0] * (size - successes)
    assert cluster_interval(values, range(size)) == pytest.approx(interval, abs=5e-5)
    halved = cluster_interval([one for one in values for _ in range(2)], [at for at in range(size) for _ in range(2)])
    assert halved == pytest.approx(interval, abs=5e-5), "each twice says no more"
    assert cluster_interval([2 * one - 1 for one in values], range(size), low=-1) == pytest.approx(
        [2 * end - 1 for end in interval], abs=1e-4
    )


def test_of_nothing_and_of_one_cluster_there_is_no_interval():
    assert cluster_interval([], []) is None
    assert cluster_interval([0.0, 1.0], [4, 4]) is None
    assert kappa_average([(True, True), (False, False)], [4, 4]).interval is None


def test_kappa_has_the_interval_of_its_disagreements():
    """Of a thousand pairs it is as wide as by the formula of Fleiss, Cohen and Everitt; copies do not narrow it."""
    table = {("a", "a"): 500, ("a", "b"): 60, ("b", "a"): 90, ("b", "b"): 250, ("c", "c"): 70, ("c", "a"): 30}
    pairs = [labels for labels, times in table.items() for _ in range(times)]
    random.Random(1).shuffle(pairs)
    found = kappa_average(pairs, range(1000))
    assert found.mean == cohen_kappa(pairs)
    assert found.high - found.low == pytest.approx(2 * 1.96 * fleiss_error(table), rel=0.02)
    together = kappa_average([one for one in pairs for _ in range(4)], [at for at in range(1000) for _ in range(4)])
    assert together.interval == pytest.approx(found.interval)


def fleiss_error(table):
    """The standard error of kappa by equation 13 of Fleiss, Cohen and Everitt 1969."""
    size = sum(table.values())
    labels = {label for pair in table for label in pair}
    p = {(a, b): table.get((a, b), 0) / size for a in labels for b in labels}
    rows = {a: sum(p[a, b] for b in labels) for a in labels}
    columns = {b: sum(p[a, b] for a in labels) for b in labels}
    observed, chance = sum(p[a, a] for a in labels), sum(rows[a] * columns[a] for a in labels)
    kappa = (observed - chance) / (1 - chance)
    first = sum(p[a, a] * (1 - (rows[a] + columns[a]) * (1 - kappa)) ** 2 for a in labels)
    others = (1 - kappa) ** 2 * sum(p[a, b] * (columns[a] + rows[b]) ** 2 for a in labels for b in labels if a != b)
    last = (kappa - chance * (1 - kappa)) ** 2
    return math.sqrt((first + others - last) / size) / (1 - chance)


@each_case(
    "keys, clusters",
    [
        ([["a"], ["b"], ["a"]], [[0, 2], [1]]),
        ([["a"], ["b"], ["a", "b"], ["c"]], [[0, 1, 2], [3]]),  # by way of a third
        ([[], [], ["a"]], [[0], [1], [2]]),
        ([], []),
    ],
)
def test_what_shares_a_key_is_one_cluster(keys, clusters):
    found = clusters_of(keys)
    assert [[at for at, one in enumerate(found) if one == number] for number in dict.fromkeys(found)] == clusters
