"""The fit of strengths and of the judge's position bias: its maximum, its intervals, and what it takes off."""

import math
import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Score
from rewardlab_pairwise.strengths import BIAS_SPREAD, SPREAD, fitted_scores, gains, strengths
from rewardlab_pairwise.tally import PairVerdict

TEXTS = list("abcdef")


def verdict(share: float) -> PairVerdict:
    return PairVerdict(verdict="A" if share > 0.5 else "B" if share < 0.5 else "tie", first_wins=share)


def log_posterior(fitted, verdicts) -> float:
    """Return what the fit is to make largest, written out."""
    place = {text: index for index, text in enumerate(TEXTS)}
    total = -sum(s**2 for s in fitted[:-1]) / (2 * SPREAD**2) - fitted[-1] ** 2 / (2 * BIAS_SPREAD**2)
    for (first, second), call in verdicts.items():
        logit = fitted[place[first]] - fitted[place[second]] + fitted[-1]
        total += call.first_wins * logit - float(np.logaddexp(0, logit))
    return total


def drawn(rng: random.Random, bias: float, spread: float = 1.5):
    truth = {text: rng.gauss(0, spread) for text in TEXTS}
    wins = lambda a, b: rng.random() < 1 / (1 + math.exp(truth[b] - truth[a] - bias))  # noqa: E731
    return truth, {(a, b): verdict(float(wins(a, b))) for a, b in permutations(TEXTS, 2)}


@given(st.dictionaries(st.sampled_from(list(permutations(TEXTS, 2))), st.sampled_from([0.0, 0.3, 0.5, 1.0])))
def test_the_fit_is_a_maximum_however_one_sided_the_verdicts(shares):
    verdicts = {pair: verdict(share) for pair, share in shares.items()}
    fit = strengths(TEXTS, verdicts)
    best = log_posterior(fit.fitted, verdicts)
    for place in range(len(TEXTS) + 1):
        for step in (-1e-3, 1e-3):
            moved = fit.fitted.copy()
            moved[place] += step
            assert log_posterior(moved, verdicts) < best
    assert np.all(np.isfinite(fit.covariance))


def test_a_judge_that_always_says_a_has_a_bias_and_no_favourite():
    fit = strengths(TEXTS, {pair: verdict(1.0) for pair in permutations(TEXTS, 2)})
    bias, low, high = fit.bias()
    assert 0.5 < low < bias < high < 1.0
    assert fit.wins() == pytest.approx(np.full((6, 6), 0.5))


def test_bias_is_taken_off_where_each_pair_was_asked_in_one_order():
    texts = {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0}
    asks = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]  # a always stands first
    with_other = {
        ("e", "f"): verdict(1.0),
        ("f", "e"): verdict(1.0),
        ("e", "g"): verdict(1.0),
        ("g", "e"): verdict(1.0),
    }
    names = [*texts, "e", "f", "g"]
    alone = strengths(names, {pair: verdict(1.0) for pair in asks})
    known = strengths(names, {**{pair: verdict(1.0) for pair in asks}, **with_other})
    assert known.fitted[0] - known.fitted[3] < alone.fitted[0] - alone.fitted[3]


def test_the_interval_holds_the_bias_of_simulated_judges():
    rng = random.Random(5)
    held = 0
    for _ in range(200):
        bias = rng.gauss(0, 1.5)
        _, verdicts = drawn(rng, bias)
        _, low, high = strengths(TEXTS, verdicts).bias()
        held += low <= math.tanh(bias / 2) <= high
    assert held >= 180  # 95% is 190, and the chance of fewer than 180 below 1 in 1,000


def test_errors_are_those_of_strengths_about_their_mean():
    rng = random.Random(6)
    ratios = []
    for _ in range(200):
        truth, verdicts = drawn(rng, 1.0)
        fit = strengths(TEXTS, verdicts)
        off = fit.fitted[:-1] - [truth[text] for text in TEXTS]
        ratios += list((off - off.mean()) / fit.errors()[:-1])
    assert 0.8 < float(np.std(ratios)) < 1.2


def test_the_gain_is_how_far_one_more_verdict_lowers_the_variance():
    fit = strengths(TEXTS, drawn(random.Random(1), 1.0)[1])
    gain = gains(fit)
    centre = np.eye(6) - 1 / 6
    for first, second in permutations(range(6), 2):
        asked = np.zeros(7)
        asked[[first, second, 6]] = 1.0, -1.0, 1.0
        share = 1 / (1 + math.exp(-asked @ fit.fitted))
        after = np.linalg.inv(np.linalg.inv(fit.covariance) + share * (1 - share) * np.outer(asked, asked))
        before, later = (np.trace(centre @ matrix[:6, :6] @ centre) for matrix in (fit.covariance, after))
        assert gain[first, second] == pytest.approx(before - later)


def test_a_verdict_that_does_not_count_teaches_nothing():
    _, verdicts = drawn(random.Random(2), 0.0)
    lost = {**verdicts, ("a", "b"): PairVerdict(verdict="failed", error="down")}
    without = {pair: call for pair, call in verdicts.items() if pair != ("a", "b")}
    assert np.array_equal(strengths(TEXTS, lost).fitted, strengths(TEXTS, without).fitted)


def test_values_of_like_verdicts_are_equal_to_the_last_digit_whatever_the_ranks():
    """So that repeats and the judges of a panel that say the same do not differ."""
    found = set()
    for ranked in permutations("abcde"):
        verdicts = {(x, y): verdict(float(x < y)) for x, y in permutations(ranked, 2)}
        scores = {text: Score(value=0.5) for text in ranked}
        rated, _ = fitted_scores(scores, dict.fromkeys(ranked, 1), verdicts)
        found.add(tuple(rated[text].value for text in "abcde"))
    assert len(found) == 1
