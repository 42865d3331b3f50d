"""How often a judge that is asked again says something else, by hand and in simulations with a known rate."""

import random
from itertools import product

import pytest
from helpers.each_case import each_case
from rewardlab import Score
from rewardlab_measure.judge_agreement.retests import (
    criterion_flips,
    flips,
    pair_flips,
    panel_agreement,
    repeated_values,
    spreads,
)


def repeated(scores=None, **values):
    """A score with these values of each judge."""
    more = {} if scores is None else {"scores": {"main": scores}}
    return Score(value=0.5, info={"repeats": {"values": values, "spread": 0.25, **more}})


@each_case(
    "better, worse, shares",
    [
        ([1.0, 1.0, 1.0], [0.0, 0.5, 0.0], [0.0]),
        ([1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [2 / 3]),  # of three pairs of draws two differ
        ([1.0, 0.5], [0.5, 0.5], [1.0]),  # a tie is an order of its own
        ([1.0, None, 1.0], [0.0, 0.0, 0.0], [0.0]),
        ([1.0, None], [0.0, 0.0], []),  # once is no retest
    ],
)
def test_a_flip_by_hand(better, worse, shares):
    scores = [{"main": better}, {"main": worse}]
    assert pair_flips(scores, [1.0, 0.0]) == pytest.approx(shares)
    assert pair_flips(scores, [1.0, 1.0]) == [], "nothing says which is better"


def test_scores_that_were_asked_once_have_none():
    scores = [Score(value=1.0), Score(value=0.0)]
    values = list(map(repeated_values, scores))
    assert (pair_flips(values, [1.0, 0.0]), panel_agreement(values, [1.0, 0.0]), spreads(scores)) == ([], [], [])
    assert flips([]) == {"retests": 0, "retest_flips": None, "retest_flips_interval": None}


def test_flips_are_of_one_judge_and_agreement_is_between_judges():
    scores = [repeated(a=[1.0, 1.0], b=[0.0, 0.0], c=[1.0, 1.0]), repeated(a=[0.0, 0.0], b=[1.0, 1.0], c=[0.5, 0.5])]
    scores = list(map(repeated_values, scores))
    assert pair_flips(scores, [1.0, 0.0]) == [0.0], "each says the same again"
    assert panel_agreement(scores, [1.0, 0.0]) == pytest.approx([1 / 3]), "a and c"


def test_flips_by_criterion():
    clear = repeated(scores=[{"clear": 1.0, "deep": 0.0}, {"clear": 1.0, "deep": 1.0}, None], main=[0.5, 1.0, None])
    once = repeated(scores=[{"deep": 0.0}, {"clear": 1.0}], main=[0.5, 1.0])
    strange = repeated(scores=["yes", True, 3], main=[0.5, 1.0, 1.0])
    found = criterion_flips([(clear, 0), (once, 1), (strange, 2)])
    assert {name: (m["retests"], m["retest_flips"]) for name, m in found.items()} == {
        "clear": (1, 0.0),
        "deep": (1, 1.0),
    }


def simulated(rates, draws, rng):
    """The shares of flips of pairs that a judge orders rightly with these rates, each asked so often."""
    shares = []
    for number, rate in enumerate(rates):
        right = [rng.random() < rate for _ in range(draws)]
        values = [{"main": [float(is_right) for is_right in right]}, {"main": [0.5] * draws}]
        shares += [(share, number) for share in pair_flips(values, [1.0, 0.0])]
    return flips(shares)


@pytest.mark.slow
@pytest.mark.parametrize(("draws", "pairs"), [*product((2, 5), (50, 200))])
def test_a_known_rate_is_within_its_interval_in_95_of_100_simulations(draws, pairs):
    rng, inside = random.Random(f"{draws}/{pairs}"), 0
    for _ in range(200):
        rates = [rng.choice((0.5, 0.8, 0.95, 1.0)) for _ in range(pairs)]
        low, high = simulated(rates, draws, rng)["retest_flips_interval"]
        truth = sum(2 * rate * (1 - rate) for rate in (0.5, 0.8, 0.95, 1.0)) / 4
        inside += low <= truth <= high
    assert inside >= 2 * 92, inside
