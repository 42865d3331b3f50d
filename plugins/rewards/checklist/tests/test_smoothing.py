"""Variance smoothing: a better subscore never lowers the reward in the default family; in others it can."""

import math

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_checklist.smoothing import Smoothing, smoothed, weighted_deviation, weighted_mean

SHARE = st.floats(0, 1)


@st.composite
def cases(draw):
    """Scores, weights that sum to 1, and a better score for one of them."""
    parts = draw(st.lists(st.tuples(SHARE, st.floats(0.01, 1)), min_size=1, max_size=8))
    total = sum(weight for _, weight in parts)
    at = draw(st.integers(0, len(parts) - 1))
    scores = [score for score, _ in parts]
    return scores, [weight / total for _, weight in parts], at, draw(st.floats(scores[at], 1))


@pytest.mark.parametrize("family", ["gaussian", "rational", "none"])
@given(case=cases())
def test_a_better_subscore_never_lowers_the_reward(family, case):
    scores, weights, at, better = case
    smoothing = Smoothing(family=family)
    after = [*scores[:at], better, *scores[at + 1 :]]
    assert smoothed(after, weights, smoothing) >= smoothed(scores, weights, smoothing) - 1e-12


@each_case(
    "smoothing, before, after, weights",
    [
        (Smoothing(beta=4), [0.9, 0.2], [1.0, 0.2], [0.5, 0.5]),
        (Smoothing(family="rational", beta=8), [0.5, 0.5], [1.0, 0.5], [0.05, 0.95]),
        (Smoothing(family="exponential", beta=1), [0.9, 0.9], [1.0, 0.9], [0.05, 0.95]),
        (Smoothing(family="linear"), [0.9, 0.9], [1.0, 0.9], [0.05, 0.95]),
    ],
)
def test_it_can_in_the_others(smoothing, before, after, weights):
    assert smoothed(after, weights, smoothing) < smoothed(before, weights, smoothing)


@given(case=cases(), family=st.sampled_from(["gaussian", "rational", "exponential", "linear", "none"]))
def test_the_reward_is_a_share_and_is_smoothed_downwards(case, family):
    scores, weights, _, _ = case
    value = smoothed(scores, weights, Smoothing(family=family))
    assert 0 <= value <= weighted_mean(scores, weights) + 1e-12


def test_the_factors_of_the_paper_facts():
    """One of five dimensions failed: a deviation of .4 keeps 73%."""
    weights = [0.2] * 5
    assert weighted_deviation([1, 1, 1, 1, 0], weights) == pytest.approx(0.4)
    assert Smoothing().factor(0.4) == pytest.approx(0.726, abs=5e-4)
    assert Smoothing().factor(0.5) == pytest.approx(0.607, abs=5e-4)
    assert Smoothing(family="rational").factor(0.5) == pytest.approx(1 / 1.5)
    assert Smoothing(family="exponential", beta=1).factor(0.5) == pytest.approx(math.exp(-0.5))
    assert Smoothing(family="linear").factor(0.5) == 0
    assert weighted_deviation([0.3], [1.0]) == 0
