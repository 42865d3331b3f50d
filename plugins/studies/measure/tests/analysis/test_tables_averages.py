"""Averages with intervals and p-values, against a bootstrap and an enumeration that are written out here."""

from array import array
from itertools import product
from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest
from rewardlab_measure.tables.averages import PromptValues, TableAverage, cells_with_values
from rewardlab_measure.tables.clusters import NO_CLUSTERS
from rewardlab_measure.tables.comparisons import Comparison, sentences
from rewardlab_measure.tables.layout import OVERALL, TableLayout, TablePlace
from rewardlab_measure.tables.prompts import PromptFields, PromptIndex

SIZES = {("math", "de"): 40, ("math", "sw"): 24, ("reading", "de"): 30}


def measured(values, cluster=NO_CLUSTERS, kind="share"):
    """The averages of values {(task, language, problem): value}."""
    prompts = PromptIndex(PromptFields(cluster=cluster))
    for task, language, problem in values:
        fields = {"task": task, "language": language, "problem": str(problem)}
        prompts.add(f"{task} {language} {problem}", fields, None, "here")
    found = array("d", values.values())
    return PromptValues(found, prompts, TableLayout(cells_with_values(found, prompts)), kind, seed="seed")


@pytest.fixture
def values():
    """Values of prompts, of which a problem's are alike in both languages of its task."""
    random = Random(5)
    of_problem = {(task, i): random.gauss(0.5, 0.2) for task in ("math", "reading") for i in range(40)}
    return {
        (task, language, i): of_problem[task, i] + random.gauss(0, 0.05)
        for (task, language), size in SIZES.items()
        for i in range(size)
    }


def macro(values, times):
    """The mean over tasks of the mean over languages, where each prompt counts `times` it was drawn."""
    means = {}
    for task, language in SIZES:
        drawn = [(values[place], n) for place, n in times.items() if place[:2] == (task, language)]
        means.setdefault(task, []).append(sum(v * n for v, n in drawn) / sum(n for _, n in drawn))
    return fmean(map(fmean, means.values()))


def resampled(values, units, draws=1500):
    """Macro averages of samples with replacement of `units`: lists of prompts that are drawn together, by stratum."""
    random = Random(6)
    for _ in range(draws):
        times = dict.fromkeys(values, 0)
        for stratum in units.values():
            for unit in random.choices(stratum, k=len(stratum)):
                for place in unit:
                    times[place] += 1
        yield macro(values, times)


def test_intervals_of_a_macro_average_are_those_of_a_bootstrap_within_cells(values):
    cells = {cell: [[place] for place in values if place[:2] == cell] for cell in SIZES}
    agrees(measured(values).average(OVERALL), values, list(resampled(values, cells)))


def test_intervals_over_clusters_are_those_of_a_bootstrap_of_problems(values):
    problems = {}
    for task, language, i in values:
        problems.setdefault(task, {}).setdefault(i, []).append((task, language, i))
    by_task = {task: list(units.values()) for task, units in problems.items()}
    for cluster in ("problem", None):  # that of the rows, if nobody says another
        agrees(measured(values, cluster=cluster).average(OVERALL), values, list(resampled(values, by_task)))


def agrees(found, values, draws):
    ordered = sorted(draws)
    low, high = ordered[round(0.025 * len(ordered))], ordered[round(0.975 * len(ordered))]
    assert found.mean == pytest.approx(macro(values, dict.fromkeys(values, 1)))
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.4 * stdev(draws))
    assert found.high - found.low == pytest.approx(high - low, rel=0.12)
    assert found.prompts == len(values)


def test_the_p_value_of_a_macro_average_weighs_prompts_as_it_does():
    """Two of one language say as much as three of another, and one of another task as much as both."""
    cells = {("t", "de"): [0.5, 0.25], ("t", "sw"): [1.0, -0.5, 0.25], ("other", "de"): [-0.25, 0.75]}
    weights = {("t", "de"): 1 / 4, ("t", "sw"): 1 / 4, ("other", "de"): 1 / 2}
    values = {(*cell, i): value for cell, found in cells.items() for i, value in enumerate(found)}
    parts = [weights[cell] * value / len(found) for cell, found in cells.items() for value in found]
    sums = [abs(sum(s * p for s, p in zip(signs, parts, strict=True))) for signs in product((1, -1), repeat=7)]
    exact = fmean(total >= abs(sum(parts)) - 1e-12 for total in sums)
    found = measured(values).significance(OVERALL)
    assert found.p == pytest.approx(exact, rel=1e-9)
    assert found.floor == 2 / 2**7


def test_one_prompt_has_no_interval():
    assert measured({("t", "de", 0): 0.25}).average(OVERALL) == TableAverage(mean=0.25, prompts=1, clusters=1)
    one = {("t", language, 0): value for language, value in (("de", 0.25), ("sw", 0.75))}
    assert measured(one, cluster="problem").average(OVERALL) == TableAverage(mean=0.5, prompts=2, clusters=1)


def test_languages_of_one_prompt_vary_as_their_task_does():
    """Six languages of one prompt each are as uncertain as six prompts of one language."""
    one = {("t", f"l{i}", i): value for i, value in enumerate((0.4, 0.5, 0.45, 0.55, 0.6, 0.5))}
    found = measured(one, kind="difference").average(OVERALL)
    assert found.mean == pytest.approx(0.5)
    plain = 2.571 * stdev(one.values()) / sqrt(6)  # Student's, of five degrees of freedom
    one_more = 2.571 * sqrt(fmean(value * value for value in one.values())) / 6
    assert found.high - found.mean == pytest.approx(sqrt(plain**2 + one_more**2), rel=1e-3)
    with_more = one | {("t", "big", 100 + i): 0.1 * (i % 11) for i in range(22)}
    assert measured(with_more).average(TablePlace("t", "l0")).low is None
    assert measured(with_more).average(OVERALL).low is not None


def test_equal_shares_are_as_uncertain_as_those_of_one_answer_each():
    alike = measured({("t", language, i): 1.0 for language in ("de", "sw") for i in range(9)}, cluster="problem")
    found = alike.average(OVERALL)
    assert (found.low, found.high, found.clusters) == (pytest.approx(9 / (9 + 1.96**2), abs=1e-3), 1.0, 9)


@pytest.mark.parametrize("value", [0.4, 0.3, 0.55])
def test_equal_shares_vary_by_nothing_whatever_their_mean_is_rounded_to(value):
    """Six of 0.4 have a mean of 0.4 and a last bit, and are no more certain than six of 0.5."""
    alike = measured({("t", "de", i): value for i in range(6)})
    found = alike.average(OVERALL)
    assert found.high - found.low > 0.5
    assert alike.against_even_odds(OVERALL).p > 0.05


SKEWED = {  # values with a mean of a half: (value, chance)
    "skewed": ((0.4, 5 / 6), (1.0, 1 / 6)),
    "very skewed": ((0.55, 10 / 11), (0.0, 1 / 11)),
    "ties": ((0.5, 0.8), (0.0, 0.1), (1.0, 0.1)),
    "one comparison": ((0.0, 0.5), (1.0, 0.5)),
}


def drawn_shares(random, margins, size, languages=1):
    values, weights = zip(*margins, strict=True)
    drawn = random.choices(values, weights, k=size)
    return {("t", f"l{n}", i): value for i, value in enumerate(drawn) for n in range(languages)}


@pytest.mark.parametrize("name", SKEWED)
@pytest.mark.parametrize("size", [2, 4, 6, 30])
def test_a_p_value_is_below_5_percent_exactly_where_the_interval_leaves_out_a_half(name, size):
    random = Random(f"{name}{size}")
    for _ in range(60):
        shift = random.choice((0, 0, 0.2, -0.2))
        margins = [(min(1.0, max(0.0, value + shift)), chance) for value, chance in SKEWED[name]]
        values = measured(drawn_shares(random, margins, size, languages=2), cluster="problem")
        found, told = values.average(OVERALL), values.against_even_odds(OVERALL)
        assert (told.p < 0.05) == (not found.low <= 0.5 <= found.high)
        assert told.floor <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", SKEWED)
def test_even_odds_are_called_uneven_in_about_5_percent(name):
    """Of 40 problems in three languages. The signs of the margins alone called skewed ones uneven in 8 to 22%."""
    random = Random(name)
    called = sum(
        measured(drawn_shares(random, SKEWED[name], 40, languages=3), cluster="problem").against_even_odds(OVERALL).p
        < 0.05
        for _ in range(600)
    )
    assert called <= 0.075 * 600


def test_equal_numbers_without_bounds_do_not_say_how_uncertain_they_are():
    assert measured({("t", "de", i): 12.0 for i in range(9)}, kind="other").average(OVERALL).low is None


def test_shares_of_single_answers_have_wilsons_interval():
    """2 of 100, whose limits are in any table of Wilson's."""
    found = measured({("t", "de", i): float(i < 2) for i in range(100)}).average(OVERALL)
    assert (found.low, found.high) == (pytest.approx(0.00550, abs=1e-5), pytest.approx(0.07001, abs=1e-5))


def test_no_difference_in_few_prompts_is_no_proof_that_there_is_none():
    alike = {("t", "de", i): 0.0 for i in range(100)}
    found = measured(alike, kind="difference").average(OVERALL)
    assert (found.low, found.high) == (pytest.approx(-0.0198, abs=1e-4), pytest.approx(0.0198, abs=1e-4))


def test_skewed_numbers_have_a_skewed_interval_that_a_seed_repeats():
    random = Random(3)
    values = {("t", "de", i): 100 * random.lognormvariate(0, 1) for i in range(40)}
    found = measured(values, kind="other").average(OVERALL)
    assert found == measured(values, kind="other").average(OVERALL)
    assert found.high - found.mean > 1.2 * (found.mean - found.low) > 0


def test_a_prompt_without_a_value_is_in_no_average():
    values = {("t", "de", 0): 0.25, ("t", "de", 1): float("nan"), ("t", "sw", 0): float("nan"), ("t", "de", 2): 0.75}
    found = measured(values)
    assert (found.average(OVERALL).mean, found.average(OVERALL).prompts) == (0.5, 2)
    assert found.average(TablePlace("t", "sw")) is None


def test_the_width_of_one_cell_is_that_of_its_mean(values):
    cell = [value for place, value in values.items() if place[:2] == ("math", "sw")]
    found = measured(values).average(TablePlace("math", "sw"))
    assert found.high - found.low == pytest.approx(2 * 2.069 * stdev(cell) / sqrt(len(cell)), rel=0.03)


class TestSentences:
    def test_go_by_the_corrected_p_value(self):
        assert compared("de", 0.1, p=0.03, corrected=0.06).verdict == "not distinguishable"
        assert compared("de", 0.1, p=0.03, corrected=0.04).verdict == "better"
        assert compared("de", -0.1, p=0.03, corrected=0.04).verdict == "worse"

    def test_count_languages_by_verdict_and_name_those_that_are_not_better(self):
        overall, languages = (
            (None, 0.05, 0.02),
            [("de", 0.1, 0.01), ("en", -0.1, 0.01), ("sw", 0.1, 0.2), ("th", 0.2, 0.001)],
        )
        found = [compared(name, difference, p, p) for name, difference, p in (overall, *languages)]
        assert sentences(found, 100, 1) == [
            "accuracy: b is better than a in 2 of 4 languages; 1 worse (en); 1 not distinguishable (sw); "
            "overall +5.0 [+4.0, +6.0], p = 0.020"
        ]


def compared(language, difference, p, corrected):
    average = TableAverage(mean=difference, low=difference - 0.01, high=difference + 0.01, prompts=9)
    place = TablePlace(None, language)
    return Comparison(
        measure="accuracy", model="b", against="a", place=place, difference=average, p=p, corrected=corrected
    )
