"""Measures of a prompt's completions: means, shares that reach a threshold, pass@k."""

from itertools import combinations
from statistics import mean

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.errors import UserError
from rewardlab_measure.tables.measures import Measure, parse_measure, pass_at_k


@each_case(
    "text, name, component, at_least",
    [
        ("correct", "correct", "correct", None),
        ("accuracy=correct", "accuracy", "correct", None),
        ("fidelity=language>=0.7", "fidelity", "language", 0.7),
        ("language>=0.7", "language", "language", 0.7),
    ],
)
def test_a_measure_is_written_as_name_component_and_threshold(text, name, component, at_least):
    assert parse_measure(text) == Measure(name=name, component=component, at_least=at_least)


@each_case("text", ["", "a=b=c", "a>=x", "=", "a>=1e999"])
def test_another_form_is_refused(text):
    with pytest.raises(UserError):
        parse_measure(text)


def test_a_threshold_counts_what_reaches_it():
    assert Measure(name="f", component="c", at_least=0.7).of([0.7, 0.69, 1.0, 0.0]) == 0.5


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=8), st.integers(1, 8))
def test_pass_at_k_is_the_share_of_all_choices_of_k_with_a_right_one(scores, k):
    if k > len(scores):
        with pytest.raises(ValueError, match="too few"):
            pass_at_k(scores, k)
    else:
        assert pass_at_k(scores, k) == pytest.approx(mean(max(chosen) for chosen in combinations(scores, k)))


def test_pass_at_k_of_scores_between_right_and_wrong_is_refused():
    with pytest.raises(ValueError, match="neither right nor wrong"):
        pass_at_k([0.5, 1.0], 1)
