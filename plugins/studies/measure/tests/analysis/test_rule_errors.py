"""A rule's error rates by appeals from it: known by construction, without the judge's own errors, with intervals."""

import random

import pytest
from helpers.each_case import each_case
from rewardlab_measure.rule_errors.rates import Decided, RuleCounts


def counted(rng, responses, right, negative, positive, misses=0.0, accepts=0.0, share=1.0, audit=1.0):
    """The counts of a simulated rule with these error rates, and of a judge with these."""
    counts = RuleCounts()
    for _ in range(responses):
        is_right = rng.random() < right
        accepted = rng.random() < (1 - negative if is_right else positive)
        part = counts.accepted if accepted else counts.rejected
        part.all += 1
        if rng.random() < (audit if accepted else share):
            part.asked += 1
            part.right += rng.random() < (1 - misses if is_right else accepts)
    return counts


def test_rates_of_a_judge_without_errors_are_shares_of_what_it_says():
    counts = RuleCounts(
        rejected=Decided(all=60, asked=60, right=20, wrong=10), accepted=Decided(all=40, asked=40, right=36)
    )
    negative, positive = counts.rates()
    assert negative.value == pytest.approx(20 / (20 + 36))
    assert positive.value == pytest.approx(4 / (4 + 40 + 10)), "a blank response is a wrong one that was rejected"
    assert negative.low < negative.value < negative.high


def test_the_judges_own_errors_are_left_out():
    """Of 100 rejected 30 are right; a judge that misses a tenth and accepts a twentieth says so of 27 + 3.5."""
    counts = RuleCounts(rejected=Decided(all=100, asked=1000, right=305), accepted=Decided(all=70))
    negative, positive = counts.rates(misses=0.1, accepts=0.05)
    assert negative.value == pytest.approx(30 / (30 + 70))
    assert positive is None, "nobody looked at what the rule accepts"
    assert counts.rates()[0].value > negative.value


def test_a_share_stands_for_all():
    counts = RuleCounts(rejected=Decided(all=100, asked=20, right=6), accepted=Decided(all=70, asked=35, right=35))
    some, of_all = (
        counts.rates(),
        RuleCounts(Decided(all=100, asked=100, right=30), Decided(all=70, asked=70, right=70)).rates(),
    )
    assert some[0].value == pytest.approx(of_all[0].value)
    assert some[0].high - some[0].low > of_all[0].high - of_all[0].low


@each_case(
    "counts, negative, positive",
    [
        (RuleCounts(), None, None),
        (RuleCounts(rejected=Decided(all=9)), None, None),
        (RuleCounts(rejected=Decided(all=50, asked=50, right=0)), (0.0, 0.0, 1.0), None),
        (RuleCounts(rejected=Decided(all=50, asked=50, right=0), accepted=Decided(all=50)), (0.0, 0.0, None), None),
        (RuleCounts(rejected=Decided(all=50, asked=50, right=50)), (1.0, None, 1.0), None),
        (RuleCounts(Decided(5, asked=5, right=5), Decided(5, asked=5, right=5)), (0.5, None, None), (0.0, 0.0, 1.0)),
    ],
)  # fmt: skip
def test_what_is_not_known_and_what_never_happened(counts, negative, positive):
    for estimate, wanted in zip(counts.rates(), (negative, positive), strict=True):
        assert (estimate is None) == (wanted is None)
        if wanted is not None:
            given = (estimate.value, estimate.low, estimate.high)
            assert all(want is None or at == pytest.approx(want) for at, want in zip(given, wanted, strict=True))
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@each_case(
    "responses, right, negative, positive, how",
    [
        (500, 0.5, 0.392, 0.0, {"misses": 0.1, "accepts": 0.05, "audit": 0.0}),
        (500, 0.5, 0.392, 0.1, {"misses": 0.1, "accepts": 0.05, "audit": 0.3}),
        (500, 0.5, 0.2, 0.05, {}),
        (200, 0.3, 0.1, 0.02, {"misses": 0.05, "accepts": 0.05, "audit": 0.5}),
        (2000, 0.5, 0.3, 0.05, {"misses": 0.1, "accepts": 0.1, "share": 0.2, "audit": 0.2}),
        (60, 0.5, 0.3, 0.1, {"misses": 0.1, "accepts": 0.05}),
    ],
)
def test_intervals_hold_the_truth_in_some_95_of_100_simulations(responses, right, negative, positive, how):
    rng, held, known = random.Random(1), [0, 0], 0
    for _ in range(200):
        errors = {name: how[name] for name in ("misses", "accepts") if name in how}
        rates = counted(rng, responses, right, negative, positive, **how).rates(**errors)
        held[0] += rates[0].low <= negative <= rates[0].high
        if rates[1] is not None:
            known += 1
            held[1] += rates[1].low <= positive <= rates[1].high
    assert held[0] >= 0.92 * 200
    assert held[1] >= 0.92 * known


@pytest.mark.slow
def test_intervals_hold_the_truth_where_a_rule_errs_by_the_problem():
    """A rule that overlooks the right answers of three problems in ten, whoever writes them, in groups of eight."""
    held = {"by problem": 0, "alone": 0}
    for seed in range(200):
        rng, counts, alone = random.Random(seed), RuleCounts(), RuleCounts()
        for problem in range(60):
            overlooks = rng.random() < 0.3
            for _ in range(8):
                is_right = rng.random() < 0.5
                info = {"rule": 0.0, "accepted": is_right and not overlooks, "appeal": "right" if is_right else "wrong"}
                counts.add(info, problem)
                alone.add(info)
        for name, each in (("by problem", counts), ("alone", alone)):
            negative, _ = each.rates()
            held[name] += negative.low <= 0.3 <= negative.high
    assert held["by problem"] >= 0.92 * 200
    assert held["alone"] < 0.75 * 200, "each response by itself would be taken for news"
