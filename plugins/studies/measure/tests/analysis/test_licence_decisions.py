"""How a licence is decided, of simulated judges: how often wrongly, on how many labels, and with fewer if chosen."""

from collections import Counter
from random import Random
from statistics import fmean, median

import pytest
from helpers.each_case import each_case
from rewardlab.recipe import JudgeUse
from rewardlab_measure.judge_agreement import kappa_average
from rewardlab_measure.judge_licence.next_labels import UnlabelledPair, next_labels
from rewardlab_measure.tables import clustered_average
from rewardlab_training.licences import EVERY, LEVEL, MAX_LABELS, JudgeLicence, Measured, bound_states
from rewardlab_training.licences.bounds import MEASURES

USE = JudgeUse.model_validate({"use": "a/b", "require": {"labels": "l.jsonl", "min_accuracy": 0.8}})
UNMEASURED = JudgeLicence(judge="main", component="c", state="unmeasured", why="")
LOOKS = range(20, MAX_LABELS + 1, 20)


def measured(outcomes):
    average = clustered_average(outcomes, range(len(outcomes)), "share", LEVEL)
    return {"accuracy": Measured(value=average.mean, low=average.low, high=average.high, labels=len(outcomes))}


def states(by_value):
    """The bounds of a judge, {value: outcomes of its labels, 1 or 0}."""
    return bound_states(USE, {value: measured(outcomes) for value, outcomes in by_value.items() if outcomes})


def outcomes(random, accuracy, count):
    return [float(random.random() < accuracy) for _ in range(count)]


@pytest.mark.nightly
@each_case("accuracy, most", [(0.8, 0.05), (0.78, 0.02), (0.7, 0.001)])
def test_a_judge_below_its_bound_is_seldom_licensed_though_it_is_measured_ten_times(accuracy, most):
    random, licensed = Random(f"below {accuracy}"), 0
    for _ in range(1000):
        labels = outcomes(random, accuracy, MAX_LABELS)
        licensed += any(states({EVERY: labels[:count]})[0].state == "kept" for count in LOOKS)
    assert licensed / 1000 <= most


def kappa_of_pairs(random, count):
    """Both orders of a pair say the same, of which three in four are right: a kappa of a half."""
    right = [random.random() < 0.75 for _ in range(count)]
    pairs = [(order == so, order) for so in right for order in (True, False)]
    clusters = [at // 2 for at in range(2 * count)]
    return lambda size: kappa_average(pairs[: 2 * size], clusters[: 2 * size], LEVEL)


def bias_of_pairs(random, count):
    """In one pair of twenty whoever stands first wins both orders."""
    calls = [call for _ in range(count) for call in ((1.0, 1.0) if random.random() < 0.05 else (1.0, -1.0))]
    clusters = [at // 2 for at in range(2 * count)]
    return lambda size: clustered_average(calls[: 2 * size], clusters[: 2 * size], "difference", LEVEL)


def flips_of_pairs(random, count):
    flips = outcomes(random, 0.1, count)
    return lambda size: clustered_average(flips[:size], range(size), "share", LEVEL)


@pytest.mark.nightly
@each_case(
    "bound, limit, made, most",
    [
        ("min_kappa", 0.5, kappa_of_pairs, 0.05),
        ("max_position_bias", 0.05, bias_of_pairs, 0.06),
        ("max_flip_rate", 0.1, flips_of_pairs, 0.04),
    ],
)
def test_at_each_other_bound_it_is_seldom_licensed_though_it_is_measured_ten_times(bound, limit, made, most):
    use = JudgeUse.model_validate({"use": "a/b", "require": {"labels": "l.jsonl", bound: limit}})
    random, licensed = Random(bound), 0

    def is_kept(average):
        measure = Measured(value=average.mean, low=average.low, high=average.high, labels=average.clusters)
        return bound_states(use, {EVERY: {MEASURES[bound]: measure}})[0].state == "kept"

    for _ in range(1000):
        average_of = made(random, MAX_LABELS)
        licensed += any(average is not None and is_kept(average) for average in map(average_of, LOOKS))
    print(bound, licensed / 1000)
    assert licensed / 1000 <= most


def test_a_judge_well_above_it_mostly_is():
    random, licensed = Random("above"), 0
    for _ in range(500):
        labels = outcomes(random, 0.9, MAX_LABELS)
        licensed += any(states({EVERY: labels[:count]})[0].state == "kept" for count in LOOKS)
    assert licensed / 500 >= 0.95


def test_the_number_of_labels_that_it_asks_for_is_about_right():
    """Where 40 labels do not decide: labels that do if the measure stays, over those that are asked for."""
    ratios = []
    for right in range(20, 40):
        (state,) = states({EVERY: _shares(right / 40, 40)})
        if state.state != "undecided" or state.more is None or state.more > 1000:
            continue
        sizes = [round(40 * 1.05**power) for power in range(1, 90)]
        needed = next(count for count in sizes if states({EVERY: _shares(right / 40, count)})[0].state != "undecided")
        ratios.append((needed - 40) / state.more)
    assert len(ratios) >= 5
    assert 0.5 <= median(ratios) <= 1.6
    assert 0.3 <= min(ratios) <= max(ratios) <= 2.5


@each_case(
    "bound, limit, kind, value, first, actual",
    [
        ("max_flip_rate", 0.1, "share", 0.0, 30, 49),
        ("max_position_bias", 0.05, "difference", 0.0, 30, 49),
        ("min_accuracy", 0.9, "share", 1.0, 30, 49),
    ],
)
def test_what_never_or_always_happens_wants_fewer(bound, limit, kind, value, first, actual):
    use = JudgeUse.model_validate({"use": "a/b", "require": {"labels": "l.jsonl", bound: limit}})

    def state(count):
        average = clustered_average([value] * count, range(count), kind, LEVEL)
        measure = Measured(value=average.mean, low=average.low, high=average.high, labels=count)
        return bound_states(use, {EVERY: {MEASURES[bound]: measure}})[0]

    assert next(count for count in range(2, 100) if state(count).state == "kept") == actual
    assert first + state(first).more == pytest.approx(actual, abs=5)


def _shares(mean, count):
    right = round(mean * count)
    return [1.0] * right + [0.0] * (count - right)


POOL = {"en": 0.7, "de": 0.15, "sw": 0.1, "th": 0.05}


def labels_until_decided(random, accuracies, choose):
    """How many labels it takes in rounds of 10, until every value is kept or one is broken."""
    pool = [
        UnlabelledPair(value=random.choices([*POOL], [*POOL.values()])[0], problem=str(n), texts=("a", "b"))
        for n in range(1200)
    ]
    labelled = {value: [] for value in POOL}
    while True:
        count = sum(map(len, labelled.values()))
        bounds = states(labelled)
        found = {bound.state for bound in bounds}
        if "broken" in found or (found == {"kept"} and len(bounds) == len(POOL)):
            return count
        licence = JudgeLicence(judge="main", component="c", state="undecided", why="", bounds=bounds)
        chosen = choose(pool, {value: len(given) for value, given in labelled.items()}, licence)
        if not chosen:
            return max(count, MAX_LABELS)
        for candidate in chosen:
            pool.remove(candidate)
            labelled[candidate.value] += outcomes(random, accuracies[candidate.value], 1)


def at_random(pool, labelled, licence):
    return sorted(pool, key=lambda one: one.hash)[:10]


def by_decision(pool, labelled, licence):
    return next_labels(pool, 10, labelled, set(), [licence])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("accuracies", "most"),
    [
        (dict.fromkeys(POOL, 0.97), 0.5),
        (dict.fromkeys(POOL, 0.97) | {"sw": 0.5}, 0.6),
        (dict.fromkeys(POOL, 0.97) | {"en": 0.5}, 2.0),  # a round more: each value is looked at first
    ],
    ids=["all kept", "a rare language broken", "the common language broken"],
)
def test_chosen_labels_decide_sooner_than_random_ones(accuracies, most):
    means = {
        choose.__name__: fmean(labels_until_decided(Random(f"{seed}"), accuracies, choose) for seed in range(10))
        for choose in (by_decision, at_random)
    }
    print(means)
    assert means["by_decision"] / means["at_random"] <= most


def test_a_decided_value_gets_no_label_and_no_more_than_the_most_are_asked_for():
    pool = [
        UnlabelledPair(value=value, problem=f"{value} {n}", texts=("a", "b"))
        for value in ("en", "sw")
        for n in range(300)
    ]
    bounds = states({"en": [1.0] * 60, "sw": [1.0] * 12})
    licence = JudgeLicence(judge="main", component="c", state="undecided", why="", bounds=bounds)
    chosen = next_labels(pool, 10, {"en": 60, "sw": 12}, set(), [licence])
    assert 1 < bounds[1].more < 10
    assert Counter(candidate.value for candidate in chosen) == {"sw": bounds[1].more}
    assert next_labels(pool, 10, {"en": 195}, set(), [UNMEASURED]) != []
    assert len(next_labels(pool, 10, {"en": 195}, set(), [UNMEASURED])) == 5
    broken = JudgeLicence(judge="m", component="c", state="refused", why="", bounds=states({"en": [0.0] * 60}))
    assert next_labels(pool, 10, {"en": 60}, set(), [broken]) == []


def test_a_problem_without_a_label_comes_first():
    pool = [UnlabelledPair(value=EVERY, problem=problem, texts=("a", text)) for problem in "pqr" for text in "bc"]
    chosen = next_labels(pool, 6, {}, {"q"}, [UNMEASURED])
    assert [candidate.problem for candidate in chosen][:2] in (["p", "r"], ["r", "p"])
