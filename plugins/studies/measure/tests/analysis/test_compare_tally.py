"""The measures of many groups: counts, means, quantiles."""

import pytest
from rewardlab_measure.compare.measures import SideRewards, measure
from rewardlab_measure.compare.tally import Tally


def tally(*groups):
    """Of (A's totals, B's totals); a total of None leaves its completion out."""
    found = Tally()
    for sides in groups:
        found.add(measure(*(SideRewards(total=side, shaped=[value or 0.0 for value in side]) for side in sides)))
    return found.as_dict()


def test_what_is_missing_is_counted_by_side_and_measured_nowhere():
    found = tally(([1], [2]), ([1, None, 3], [None, 2, 4]), ([1, 2, None], [1, 2, 3]))
    assert (found["groups"], found["completions"]) == (3, 7)
    assert found["without_total"] == {"a": 2, "b": 1}
    assert found["left_out"] == {"missing totals": 1, "one completion": 1}
    assert list(found["left_out"]) == sorted(found["left_out"])
    assert found["flips"]["of"] == 2
    assert found["std"] == {"a": 0.5, "b": 0.5, "ratio": 1.0}


def test_a_mean_of_equal_numbers_is_that_number():
    assert tally(*[([1, 2], [1, 2])] * 49)["pearson"]["mean"] == 1.0


def test_means_of_the_largest_numbers_are_finite():
    assert tally(*[([0.0, 1.5e308], [0.0, 1.0])] * 3)["std"]["a"] == pytest.approx(0.75e308)


def test_of_what_has_no_ranks_there_is_no_correlation_of_ranks():
    steps = [1.0, 1.0 + 0.7e-9, 1.0 + 1.4e-9]
    found = tally((steps, [1, 2, 3]), ([1, 2], [2, 1]))
    assert (found["correlated"], found["spearman"]["mean"]) == (2, -1.0)


def test_a_ratio_is_of_b_to_a_and_of_a_reward_without_variance_there_is_none():
    assert tally(([0, 1], [0, 4]))["std"]["ratio"] == 4.0
    assert tally(([0, 1], [1, 1]))["std"]["ratio"] == 0.0
    assert tally(([1, 1], [0, 1]))["std"]["ratio"] is None
