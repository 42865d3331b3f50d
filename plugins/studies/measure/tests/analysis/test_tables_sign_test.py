"""The p-value of paired differences, against the enumeration of all signs and against distributions that are known."""

from itertools import product
from math import comb, erfc, log, sqrt
from random import Random
from statistics import fmean

import pytest
from rewardlab_measure.tables import sign_test as module
from rewardlab_measure.tables.comparisons import holm
from rewardlab_measure.tables.sign_test import common_step, sign_test, smallest_p


def of_all_signs(parts):
    sums = [0.0]
    for part in parts:
        sums = [total + signed for total in sums for signed in (part, -part)]
    return fmean(abs(total) >= abs(sum(parts)) - 1e-9 for total in sums)


DRAWN = {
    "eighths": lambda random: random.randint(-4, 8) / 8,
    "sevenths of tenths": lambda random: random.randint(-3, 5) / 7 / 10,
    "two sizes of cells": lambda random: random.choice((-1, 1, 1)) * random.choice((1 / 250, 1 / 99 / 8)),
    "any": lambda random: random.gauss(0.4, 1),
    "one outweighs": lambda random: random.choice((1.0, 0.01, 0.013, -0.02)),
}


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("size", [1, 2, 7, 13])
def test_few_differences_are_those_of_all_signs(drawn, size):
    random = Random(f"{drawn}{size}")
    for _ in range(5):
        parts = [DRAWN[drawn](random) for _ in range(size)]
        assert sign_test(parts) == pytest.approx(of_all_signs(parts), rel=1e-9)


@pytest.mark.parametrize(("right", "wrong"), [(5, 0), (60, 40), (200, 20), (700, 200), (2000, 1800)])
def test_answers_that_are_right_or_wrong_have_mcnemars_exact_p_value(right, wrong):
    number = right + wrong
    exact = 2 * sum(comb(number, k) for k in range(wrong + 1)) / 2**number
    assert sign_test([1 / 8] * right + [-1 / 8] * wrong) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize("shift", [0.05, 0.2, 0.5, 1.5])
@pytest.mark.parametrize("size", [40, 120, 400])
def test_the_saddlepoint_is_near_the_exact_p_value(size, shift, monkeypatch):
    random = Random(f"{size}{shift}")
    parts = [(random.randint(-8, 8) + round(4 * shift)) / 8 for _ in range(size)]
    exact = sign_test(parts)
    monkeypatch.setattr(module, "MAX_WORK", 0)
    assert sign_test(parts) == pytest.approx(exact, rel=1 / size)


def test_sizes_without_a_common_step_have_the_p_value_of_their_three_binomials():
    """Of 20 each of three sizes, whose ratios are no fractions, 15, 14 and 12 are positive."""
    sizes = (1.0, sqrt(2), sqrt(3))
    parts = [sign * size for size, up in zip(sizes, (15, 14, 12), strict=True) for sign in [1] * up + [-1] * (20 - up)]
    found, exact = abs(sum(parts)), 0
    for ups in product(range(21), repeat=3):
        total = sum(size * (2 * up - 20) for size, up in zip(sizes, ups, strict=True))
        exact += (abs(total) >= found - 1e-9) * comb(20, ups[0]) * comb(20, ups[1]) * comb(20, ups[2])
    assert common_step([1.0, sqrt(2)]) is None
    assert sign_test(parts) == pytest.approx(exact / 2**60, rel=0.025)


def test_many_different_sizes_have_the_normal_limit():
    random = Random(4)
    parts = [random.gauss(0.01, 1) for _ in range(20_000)]
    normal = erfc(abs(sum(parts)) / sqrt(2 * sum(part * part for part in parts)))
    assert sign_test(parts) == pytest.approx(normal, rel=0.01)


@pytest.mark.slow
def test_p_values_are_uniform_where_nothing_differs():
    random = Random(6)
    p_values = [sign_test([random.gauss(0, 1) / (1 + i % 3) for i in range(60)]) for _ in range(400)]
    for level in (0.05, 0.25, 0.5, 0.75):
        assert fmean(p < level for p in p_values) == pytest.approx(level, abs=3 * sqrt(level * (1 - level) / 400))


def test_a_large_difference_among_many_small_ones_is_one_difference():
    """One prompt is no proof, whatever its weight; the normal limit would give p = 0.32."""
    random = Random(9)
    small = [-random.random() / 1000 for _ in range(300)]
    assert sign_test([*small, 1.0]) == pytest.approx(1.0, abs=1e-6)


def test_p_values_are_as_small_as_the_signs_make_them():
    assert sign_test([0.5] * 250) == smallest_p(250) == 2.0**-249
    assert 0 < sign_test([1 / 3] * 3000) <= 2.0**-999
    assert log(sign_test([1.0 + i / 7919 for i in range(500)]), 2) == pytest.approx(-499)
    assert (smallest_p(1), smallest_p(0)) == (1.0, 1.0)


def test_differences_that_cancel_are_no_evidence_whatever_their_rounding():
    assert sign_test([size / 8 / 7 * (1 / 7) for size in (3, 1, -4)]) == 1.0
    assert sign_test([0.1 + 0.2 - 0.3, 0.5, 0.5]) == 0.5  # the first is 0 but for its rounding


def test_no_difference_is_no_evidence():
    assert sign_test([0.0, 0.0]) == sign_test([]) == 1.0


def test_holm_multiplies_the_smallest_by_their_number():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
