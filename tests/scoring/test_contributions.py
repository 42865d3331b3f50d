"""From parts of totals to contributions: what is rounding and what is not."""

import pytest
from rewardlab.scoring.decomposition import TotalParts, mean
from rewardlab.scoring.group_attribution import contributions_to_shaped, slope_of


def contributions(a, shaped, slope):
    """(contributions of a, rest)"""
    found = contributions_to_shaped(TotalParts(by_name={"a": a}, constant=0.0, means={}), shaped, range(len(a)), slope)
    return found.by_name["a"], found.rest


def test_what_contributes_nothing_is_not_written_as_minus_0():
    assert repr(contributions([0.0, 1.0], [0.0, 0.0], 0.0)[0]) == "[0.0, 0.0]"
    assert repr(contributions([1.0, 1.0], [0.0, 0.0], -2.0)[0]) == "[0.0, 0.0]"


def test_a_rest_of_rounding_alone_is_0():
    assert contributions([0.0, 1.0], [-0.5 + 1e-14, 0.5 + 1e-14], 1.0) == ([-0.5, 0.5], [0.0, 0.0])
    one, other = contributions([0.0, 1.0], [1.5, 2.5 + 1e-14], 1.0)[1]
    assert one == other == pytest.approx(2.0), "and is the same for all"


def test_a_small_rest_that_is_no_rounding_is_each_completions_own():
    assert contributions([0.0, 1.0], [-0.5, 0.5 + 1e-7], 1.0)[1] == [0.0, pytest.approx(1e-7)]


def test_totals_that_differ_by_more_than_rounding_have_a_line():
    assert slope_of([1.0, 1.0 + 1e-8], [-1.0, 1.0], 1.0, 1.0) == pytest.approx(2e8)
    assert slope_of([1.0, 1.0 + 1e-15], [-1.0, 1.0], 1.0, 1.0) == 0.0


def test_a_mean_of_equal_values_is_that_value():
    assert [mean([value] * 3) for value in (0.1, 0.3, 1e300)] == [0.1, 0.3, 1e300]
