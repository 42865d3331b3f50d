"""Student's t, against tables and its two closed forms."""

from math import atan, pi, sqrt

import pytest
from helpers.each_case import each_case
from rewardlab_measure.tables.student import student_quantile, student_tails


@each_case("freedom, exceeds", [(1, 12.7062), (2, 4.3027), (3, 3.1824), (10, 2.2281), (29, 2.0452), (1e5, 1.9600)])
def test_what_it_exceeds_in_5_percent_stands_in_any_table(freedom, exceeds):
    assert student_quantile(freedom) == pytest.approx(exceeds, abs=5e-5)


@each_case("freedom", [1, 1.5, 2, 7.3, 300, 1e5])
def test_the_two_functions_are_each_others_inverse(freedom):
    for tails in (0.9, 0.05, 1e-6):
        assert student_tails(student_quantile(freedom, tails), freedom) == pytest.approx(tails, rel=1e-9)


@each_case("t", [1e-9, 0.1, 1.0, 5.0, 1e4, 1e160])
def test_of_one_and_two_degrees_its_tails_have_closed_forms(t):
    assert student_tails(t, 1) == pytest.approx(1 - 2 * atan(t) / pi if t < 10 else 2 * atan(1 / t) / pi, rel=1e-9)
    assert student_tails(t, 2) == pytest.approx(2 / (sqrt(2 + t * t) * (sqrt(2 + t * t) + t)), rel=1e-9)


def test_it_ends_at_1_and_0():
    assert (student_tails(0.0, 4), student_tails(1e308, 4)) == (1.0, 0.0)
