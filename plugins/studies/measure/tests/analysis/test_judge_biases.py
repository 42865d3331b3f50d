"""The biases of judges: what a rewrite leaves as it is, and how often biases are named, of simulated changes."""

from collections import Counter
from random import Random

import pytest
from helpers.each_case import each_case
from rewardlab_measure.judge_biases.language_test import language_test, smallest_language_p
from rewardlab_measure.judge_biases.measures import BIASES, Change, biases, language_change
from rewardlab_measure.judge_biases.rewrites import CONTROL, FLATTERY, flattery_language, rewrites

ANSWER = r"""First 3.5 is added, e.g. by hand. Then it ends.

$$
x. Y. z
$$

```python
a. B. c
```
| a. B. | c |
So \boxed{4}."""


@each_case("name", [*rewrites("Judge-7B", "de")])
def test_a_rewrite_keeps_all_words_and_what_is_no_prose(name):
    rewritten = rewrites("Judge-7B", "de")[name](ANSWER)
    assert rewritten != ANSWER
    for part in ("$$\nx. Y. z\n$$", "```python\na. B. c\n```", "| a. B. | c |", r"\boxed{4}"):
        assert part in rewritten
    assert not Counter(ANSWER.replace("*", "").split()) - Counter(rewritten.replace("*", "").split())


@each_case("name", [*rewrites("Judge-7B", "de")])
def test_a_rewrite_leaves_a_thought_alone(name):
    rewritten = rewrites("Judge-7B", "de")[name]("<think>\nOne. Two.\n</think>\nIt is 4. Yes.")
    assert rewritten.startswith("<think>\nOne. Two.\n</think>\n\n")
    assert rewritten.count("Two.") == 1


def test_signatures_differ_by_the_name_alone():
    made = rewrites("Judge-7B", None)
    assert made["self_preference"]("It is 4.") == "It is 4.\n\n— Judge-7B"
    assert made[CONTROL]("It is 4.").startswith("It is 4.\n\n— ")
    assert not {"self_preference", CONTROL} & set(rewrites(None, None))


def test_an_answer_in_a_script_without_blanks_is_formatted_by_its_sentences():
    assert rewrites(None, "zh")["formatting"]("这是第一句。这是第二句。").count("- **") == 2


@each_case("given, code", [("de-AT", "de"), ("zh_CN", "zh"), ("sw", "sw"), ("xx", "en"), (None, "en")])
def test_flattery_is_in_the_language_of_the_answer(given, code):
    assert flattery_language(given) == code
    assert rewrites(None, given)["sycophancy"]("4").startswith(FLATTERY[code])


def simulated(random, rows, named="", change=0.0):
    """Changes of a judge that turns a tenth of its verdicts in any rewrite, and so many more for one bias."""
    return {
        name: [Change(random.choices((0.0, 1.0, -1.0), (0.9 - own, 0.05 + own, 0.05))[0], row) for row in range(rows)]
        for name in BIASES
        for own in [change * (name == named)]
    }


@pytest.mark.slow
def test_a_judge_without_a_bias_has_one_named_in_at_most_5_percent():
    random = Random("clean")
    named = [
        any(bias.verdict == "biased" for bias in biases(simulated(random, rows)))
        for rows in (20, 60)
        for _ in range(300)
    ]
    assert sum(named) / len(named) <= 0.05


@pytest.mark.slow
@each_case("change, rows", [(0.1, 400), (0.2, 150), (0.4, 60)])
def test_a_planted_bias_is_named_in_95_percent(change, rows):
    random, named = Random(f"planted {change}"), 0
    for _ in range(100):
        found = {bias.name: bias for bias in biases(simulated(random, rows, "length", change))}
        named += found["length"].verdict == "biased"
    assert named >= 95


def test_intervals_and_p_values_are_those_of_all_biases_together():
    changes = [Change(1.0 if row % 4 else -1.0, row) for row in range(24)]
    (alone,) = biases({"length": changes})
    for bias in biases(dict.fromkeys(BIASES, changes)):
        assert bias.p == pytest.approx(len(BIASES) * alone.p)
        assert bias.low < alone.low < alone.high < bias.high


def test_rows_of_one_problem_count_as_one():
    rows = [Change(1.0, 0)] * 50 + [Change(1.0, 1)] * 50
    (bias,) = biases({"length": rows})
    assert (bias.problems, bias.rows, bias.verdict) == (2, 100, "too few rows")


def test_a_row_without_a_value_is_missing_and_never_a_change():
    (bias,) = biases({"length": [Change(None, 0), *(Change(0.5, row) for row in range(1, 21))]})
    assert (bias.change, bias.missing, bias.rows) == (0.5, 1, 20)
    assert biases({"length": [Change(None, 0)]}) == []


# --- languages


def changes_by_language(problems):
    """Return the changes of each language, of problems with a value in each."""
    changes = {}
    for problem, values in enumerate(problems):
        named = dict(enumerate(values))
        for name in named:
            changes.setdefault(f"language {name}", []).append(language_change(named, name, problem))
    return changes


def orders(*values):
    """Return a problem's changes: that of the first language, and with the others' values."""
    change = language_change(dict(enumerate(values)), 0, 0)
    return [change.value, *change.instead]


@pytest.mark.nightly
def test_languages_that_fail_alike_and_seldom_are_none_of_them_a_bias():
    """In those that have not failed yet all signs are the same: by these, one is named in 3 of 4 measurements."""
    random, named, missed = Random("seldom"), 0, 0
    for _ in range(100):
        problems = [[float(random.random() > 0.02) for _ in range(10)] for _ in range(100)]
        found = biases(changes_by_language(problems))
        named += any(bias.verdict == "biased" for bias in found)
        missed += any(bias.low > 0 or bias.high < 0 for bias in found)
    assert (named <= 8, missed <= 8) == (True, True)


@pytest.mark.slow
def test_a_language_that_fails_more_often_is_named():
    random, named = Random("worse"), 0
    for _ in range(40):
        problems = [[float(random.random() > (0.3 if at == 0 else 0.05)) for at in range(5)] for _ in range(80)]
        found = {bias.name: bias for bias in biases(changes_by_language(problems))}
        named += found["language 0"].verdict == "biased"
    assert named >= 38


def test_the_p_value_of_a_language_by_hand():
    # wrong in the first language alone, in each of three problems: 1/3 each
    assert language_test([orders(0, 1, 1)] * 3) == pytest.approx(1 / 27)
    # -1 once and 1/2 twice add up to 0: all ways are as far from it
    assert language_test([orders(0, 1, 1), orders(1, 0, 1), orders(1, 1, 0)]) == 1.0
    # of two languages it is the test of signs
    assert language_test([orders(0, 1)] * 5) == pytest.approx(2 / 32)
    assert language_test([orders(1, 1, 1)] * 5) == 1.0
    assert (smallest_language_p([orders(0, 1, 1)] * 3), smallest_language_p([orders(0, 1)] * 3)) == (1 / 27, 0.25)


def test_many_changes_without_a_common_step_are_rounded():
    random = Random("many")
    problems = [orders(*(random.random() for _ in range(3))) for _ in range(400)]
    assert 0.001 < language_test(problems) < 1
    assert 0 < language_test([[min(given), *given] for given in problems]) < 1e-12
