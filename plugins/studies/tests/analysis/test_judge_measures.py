"""Kendall's tau-b, Cohen's kappa and Wilson's interval against cases worked out by hand, and their laws."""

import math

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.scoring import kendall_tau_b
from rewardlab_studies.judge_agreement.measures import cohen_kappa, wilson

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
        (1, 2, (0.0945, 0.9055)),
        (0.5, 1, (0.0546, 0.9454)),  # one tie
    ],
)
def test_wilson_by_hand(successes, size, interval):
    assert wilson(successes, size) == pytest.approx(interval, abs=5e-5)


def test_of_nothing_there_is_no_interval():
    assert wilson(0, 0) is None
