"""What is measured of one group, against hand calculations and the laws that the measures keep."""

import math
from dataclasses import replace

import pytest
from helpers.each_case import each_case
from hypothesis import assume, given
from hypothesis import strategies as st
from rewardlab_measure.compare.measures import GroupMeasures, SideRewards, measure, quantile
from rewardlab_measure.correlation import correlation, ranks


def rewards(*shaped, total=None):
    return SideRewards(total=list(shaped if total is None else total), shaped=list(shaped))


def compared(a, b):
    return measure(rewards(*a), rewards(*b))


# --- by hand ---


def test_a_group_by_hand():
    # A: mean 2, deviations -2 -1 0 3, squares 14. B: mean 1, deviations 1 -1 0 0, squares 2. Products: -2 + 1 = -1.
    found = compared([0, 1, 2, 5], [2, 0, 1, 1])
    assert found.pearson == pytest.approx(-1 / math.sqrt(28))
    # ranks 1 2 3 4 and 4 1 2.5 2.5; deviations -1.5 -.5 .5 1.5 and 1.5 -1.5 0 0; products -2.25 + .75 = -1.5
    assert found.spearman == pytest.approx(-1.5 / math.sqrt(5 * 4.5))
    assert found.std == pytest.approx((math.sqrt(3.5), math.sqrt(0.5)))
    # the sum of squares of two unit vectors' difference, 4 + 4 - 2 * 4r, over the 4 completions
    assert found.distance == pytest.approx(math.sqrt(2 - 2 * found.pearson))
    assert found.flipped == (0,)  # -2 and 1
    assert found.best_changes is True  # the fourth, the first
    assert (found.size, found.compared, found.left_out, found.flat) == (4, 4, None, (False, False))


def test_a_side_without_variance_has_no_correlation_and_the_distance_of_the_other():
    assert compared([1, 2], [3, 3]) == GroupMeasures(
        size=2, compared=2, flat=(False, True), std=(0.5, 0.0), distance=1.0
    )
    assert compared([2, 2, 2], [5, 5, 5]).flat == (True, True)
    assert compared([2, 2, 2], [5, 5, 5]).distance == 0.0


def test_what_differs_by_rounding_is_equal_at_any_scale():
    tenths = [0.1 + 0.2, 0.3]
    assert tenths[0] != tenths[1]
    for scale in (1.0, 1e-200, 1e200):
        found = compared([x * scale for x in tenths], [0.0, scale])
        assert (found.flat, found.distance) == ((True, False), 1.0)
        assert compared([scale, 0.0], [0.0, scale]).pearson == -1.0


def test_rounding_stays_rounding_after_normalize_std_has_divided_by_it():
    from rewardlab_normalize.options import StdOptions
    from rewardlab_normalize.std import Std

    totals = [0.1 + 0.2, 0.3, 0.3]
    shaped = Std(StdOptions()).shape(totals, None, range(3), 0)
    assert max(map(abs, shaped)) > 1e-11
    assert measure(rewards(*shaped, total=totals), rewards(1, 2, 3)).flat == (True, False)


def test_small_rewards_that_differ_are_no_rounding():
    assert compared([1e-12, 2e-12], [1, 2]).pearson == 1.0
    assert compared([1.0, 1.0 + 1e-8], [1, 2]).pearson == 1.0


def test_what_is_equal_but_for_rounding_has_one_rank_and_is_best_together():
    near = [0.1 + 0.2, 0.3, 0.0]
    assert compared(near, [1, 1, 0]).spearman == 1.0
    assert compared([1, 1, 0], [1e9 * value for value in near]).spearman == 1.0
    assert compared(near, [0, 1, 0]).best_changes is False
    steps = [1.0, 1.0 + 0.7e-9, 1.0 + 1.4e-9]  # each is near the next one, and the last is not near the first
    assert (compared(steps, [1, 2, 3]).flat, compared(steps, [1, 2, 3]).spearman) == ((False, False), None)


def test_an_advantage_of_rounding_alone_flips_nothing():
    assert 0.4 - math.fsum([0.3 / 3, 0.5 / 3, 0.4 / 3]) > 0
    assert compared([0.3, 0.5, 0.4], [0.0, 1.0, 0.4]).flipped == ()


def test_no_measure_is_beyond_its_bounds_by_rounding():
    assert compared([0.5, 0.4, 0.2], [-0.5, -0.4, -0.2]).distance == 2.0
    assert compared([0.9, 0.6, 0.4], [7 * value for value in (0.9, 0.6, 0.4)]).pearson == 1.0


def test_a_completion_without_a_total_is_left_out_and_the_mean_is_the_trainers():
    # A's mean is 1, whatever stands for its third completion
    a, b = rewards(0, 2, 99, total=[0, 2, None]), rewards(1, 4, 7)
    found = measure(a, b)
    assert (found.size, found.compared, found.without_total) == (3, 2, (1, 0))
    assert found.pearson == 1.0
    # B's mean is 4, over all three: -3 and 0, not -1.5 and 1.5
    assert measure(rewards(2, 0, 99, total=[2, 0, None]), b).flipped == (0,)
    # places are those of the group: the first one has no total
    assert measure(rewards(99, 1, 2, total=[None, 1, 2]), rewards(0, 2, 1, total=[None, 2, 1])).flipped == (1, 2)


@each_case(
    "a, b, why",
    [
        (rewards(1), rewards(2), "one completion"),
        (rewards(1, 1, total=[1, None]), rewards(2, 3), "missing totals"),
        (rewards(1, 1, 2, total=[1, None, 2]), rewards(2, 2, 3, total=[None, 2, 3]), "missing totals"),
        (rewards(0, 0, total=[None, None]), rewards(2, 3), "missing totals"),
    ],
)
def test_fewer_than_two_completions_are_left_out(a, b, why):
    found = measure(a, b)
    assert found.left_out == why
    assert (found.pearson, found.distance, found.best_changes, found.flips) == (None, None, None, 0)


def test_a_best_completion_that_stays_among_the_best_does_not_change():
    assert compared([1, 1, 0], [0, 1, 0]).best_changes is False
    assert compared([1, 0, 0], [0, 1, 1]).best_changes is True


def test_ranks_of_ties_are_their_mean():
    assert ranks([5, 1, 5, 3]) == [3.5, 1, 3.5, 2]
    assert ranks([1, 1 + 1e-12, 2], tolerance=1e-9) == [1.5, 1.5, 3]


def test_a_constant_has_no_correlation():
    assert correlation([1, 1, 1], [1, 2, 3]) is None
    assert correlation([0.9] * 3, [1, 2, 3]) is None, "whose mean is not 0.9 for a float"


def test_quantiles_lie_between_neighbours():
    assert [quantile([0, 1, 2, 10], share) for share in (0, 0.5, 0.75, 1)] == [0, 1.5, 4, 10]
    assert quantile([3], 0.95) == 3


# --- laws ---


VALUES = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=12)


def sides(pairs):
    return [a for a, _ in pairs], [b for _, b in pairs]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=2, max_size=12))
def test_a_reward_is_wholly_like_itself(values):
    found = compared(values, values)
    assert found.pearson in (1.0, None)
    assert found.spearman in (1.0, None)
    assert (found.distance, found.flips, found.best_changes) in ((0.0, 0, False), (0.0, 0, None))
    assert (found.pearson is None) == found.flat[0] == found.flat[1]


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_the_completions_changes_nothing(pairs, random):
    shuffled = pairs[:]
    random.shuffle(shuffled)
    found, again = compared(*sides(pairs)), compared(*sides(shuffled))
    assert found.std == pytest.approx(again.std)
    assert [shuffled[place] for place in again.flipped] == [
        p for p in shuffled if p in [pairs[i] for i in found.flipped]
    ]
    assert replace(found, std=(0, 0), flipped=()) == replace(again, std=(0, 0), flipped=())


@given(PAIRS, st.floats(0.01, 100), st.floats(-1000, 1000))
def test_another_scale_or_offset_of_one_side_changes_no_correlation(pairs, factor, offset):
    a, b = sides(pairs)
    found, moved = compared(a, b), compared(a, [factor * value + offset for value in b])
    assume(found.flat == moved.flat)
    assert moved.pearson == pytest.approx(found.pearson, abs=1e-6)
    assert moved.distance == pytest.approx(found.distance, abs=1e-3)
    assert (moved.flips, moved.best_changes) == (found.flips, found.best_changes)


@given(st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=12), st.floats(0.1, 10))
def test_a_reward_turned_round_flips_all_that_has_an_advantage(a, factor):
    assume(min(a) < max(a))
    turned = compared(a, [-factor * value for value in a])
    assert turned.pearson == pytest.approx(-1)
    assert turned.spearman == pytest.approx(-1)
    assert turned.distance == pytest.approx(2)
    assert turned.flips == sum(abs(value * len(a) - sum(a)) > 1e-3 for value in a)
    assert turned.best_changes is True


@given(PAIRS)
def test_the_distance_says_what_the_correlation_says(pairs):
    found = compared(*sides(pairs))
    assume(found.pearson is not None)
    assert found.pearson == pytest.approx(1 - found.distance**2 / 2, abs=1e-9)


@given(PAIRS)
def test_a_and_b_may_change_places(pairs):
    a, b = sides(pairs)
    found, other = compared(a, b), compared(b, a)
    turned = replace(other, std=other.std[::-1], flat=other.flat[::-1])
    assert replace(found, distance=None) == replace(turned, distance=None)
    assert found.distance == pytest.approx(turned.distance)
