"""What two rewards teach of a truth: gains by hand, verdicts, prompts needed, looks."""

import math
from random import Random

import pytest
from rewardlab_measure.compare.gain import Gains, GroupGain, group_gain
from rewardlab_measure.compare.looks import looks_at
from rewardlab_measure.compare.measures import SideRewards
from rewardlab_measure.compare.verdict import taught


def rewards(*shaped, total=None):
    return SideRewards(total=list(shaped if total is None else total), shaped=list(shaped))


def gains_of(differences, keys=None, scale=1.0):
    gains = Gains()
    for number, difference in enumerate(differences):
        gain = GroupGain(a=0.2 * scale, b=(0.2 + difference) * scale, at_most=scale / 2, low=0.0, high=scale)
        gains.add(gain, [] if keys is None else [keys[number]])
    return gains


# --- gains ---


def test_a_gain_by_hand():
    # A's deviations -2 -1 0 3, std sqrt(3.5); the truth's -.5 -.5 .5 .5: cov = (1 + .5 + 0 + 1.5) / 4 = .75
    # B's deviations 1 -1 0 0: cov = (-.5 + .5) / 4 = 0
    gain = group_gain(rewards(0, 1, 2, 5), rewards(2, 0, 1, 1), [0, 0, 1, 1])
    assert (gain.a, gain.b, gain.at_most) == (pytest.approx(0.75 / math.sqrt(3.5)), 0.0, 0.5)


def test_a_gain_is_the_derivative_of_the_mean_truth_along_the_advantages():
    totals, truth, step = [0.3, 0.1, 0.9, 0.4], [1.0, 0.0, 1.0, 0.5], 1e-6
    gain = group_gain(rewards(*totals), rewards(*totals), truth)
    mean = sum(totals) / 4
    std = math.sqrt(sum((r - mean) ** 2 for r in totals) / 4)
    weights = [math.exp(step * (r - mean) / std) for r in totals]
    moved = sum(w * t for w, t in zip(weights, truth, strict=True)) / sum(weights) - sum(truth) / 4
    assert gain.a == pytest.approx(moved / step, rel=1e-4)


def test_the_scale_of_a_reward_teaches_nothing_more():
    gain = group_gain(rewards(0, 1, 3), rewards(5, 25, 65), [0, 1, 1])
    assert gain.a == pytest.approx(gain.b)
    assert group_gain(rewards(0, 1), rewards(7, 7), [0, 1]).b == 0.0


def test_completions_without_truth_or_total_are_left_out():
    whole = group_gain(rewards(0, 1, 9, 5), rewards(2, 0, 9, 1), [0, 1, None, 1])
    assert whole == group_gain(rewards(0, 1, 5), rewards(2, 0, 1), [0, 1, 1])
    assert group_gain(rewards(0, 1, total=[None, 1]), rewards(1, 2), [0, 1]) is None
    assert group_gain(rewards(1), rewards(1), [1]) is None


# --- verdicts ---


def test_verdicts():
    draw = Random(1)
    noise = [draw.gauss(0, 0.1) for _ in range(200)]
    assert taught(gains_of([x + 0.05 for x in noise])).verdict() == "B teaches more"
    assert taught(gains_of([x - 0.05 for x in noise])).verdict() == "A teaches more"
    level = [x - sum(noise) / 200 for x in noise]
    assert taught(gains_of(level)).verdict() == "undecided"
    assert taught(gains_of(level)).verdict(0.005) == "undecided"
    assert taught(gains_of(level)).verdict(0.05) == "no difference that large"
    lower = taught(gains_of([x - 0.02 for x in level]))
    assert (lower.low < -0.03, lower.high < 0.03, lower.verdict(0.03)) == (True, True, "A teaches more")
    wide = taught(gains_of([x - 0.01 for x in level]))
    assert (wide.low < -0.02 < 0 < wide.high < 0.02, wide.verdict(0.02)) == (True, "undecided")
    assert taught(gains_of([0.0] * 30)).verdict() == "equal"
    assert taught(gains_of([0.3])).verdict() == "too few prompts"
    assert taught(gains_of([0.3] * 5, keys=[1] * 5)).verdict() == "too few prompts"
    assert taught(Gains()).verdict() == "too few prompts"


def test_equal_rewards_need_no_prompts_and_no_infinity():
    equal = taught(gains_of([0.0] * 30))
    assert (equal.prompts_needed(0.1, 0.8), equal.smallest_seen(0.8)) == (None, None)


def test_the_scale_of_the_truth_changes_only_the_units():
    draw = Random(2)
    differences = [draw.gauss(0.03, 0.1) for _ in range(60)]
    one, hundred = taught(gains_of(differences)), taught(gains_of(differences, scale=100))
    assert (hundred.low, hundred.high) == (pytest.approx(100 * one.low), pytest.approx(100 * one.high))
    assert hundred.prompts_needed(3, 0.8) == one.prompts_needed(0.03, 0.8)


def test_prompts_of_one_problem_count_as_one():
    draw = Random(3)
    problems = [draw.gauss(0.02, 0.1) for _ in range(40)]
    alone = taught(gains_of(problems))
    five = taught(gains_of([x for x in problems for _ in range(5)], keys=[n for n in range(40) for _ in range(5)]))
    assert (five.prompts, five.clusters, alone.clusters) == (200, 40, 40)
    assert five.low == pytest.approx(alone.low)
    assert five.prompts_needed(0.05, 0.8) == pytest.approx(5 * alone.prompts_needed(0.05, 0.8), abs=5)


def test_prompts_needed_by_hand():
    # differences of 0 and .2: standard deviation .1 sqrt(100/99); (1.95996 + .84162)² .0101 / .0025 + 1.92 = 33.6
    truth = taught(gains_of([0.0, 0.2] * 50))
    assert truth.deviation == pytest.approx(0.1 * math.sqrt(100 / 99))
    assert truth.prompts_needed(0.05, 0.8) == 34
    assert truth.prompts_needed(0.05, 0.9) == 45
    assert truth.prompts_needed(0.05, 0.8, looks=True) == 35
    # half of the interval, 1.984 (t of 99) · .01010, and .8416 · .01005
    assert truth.smallest_seen(0.8) == pytest.approx(0.0286, abs=2e-4)


# --- looks ---


def test_looks_are_obrien_and_flemings():
    looks = looks_at(100)
    assert [look.rows for look in looks] == [20, 40, 60, 80, 100]
    # Jennison and Turnbull, table 2.3: z of 4.562, 3.226, 2.634, 2.281, 2.040
    tails = [5.1e-6, 0.00126, 0.00845, 0.02256, 0.04134]
    assert [1 - look.level for look in looks] == [pytest.approx(tail, rel=0.02) for tail in tails]
    assert [look.rows for look in looks_at(3)] == [1, 2, 3]
    assert looks_at(0) == []
