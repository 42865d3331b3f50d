"""Which degenerate completion wins, and which component is to blame: exact for sums, counterfactual for gates."""

import random
from dataclasses import replace

import pytest
from helpers.each_case import each_case
from rewardlab import Sample
from rewardlab.recipe import FAMILIES, parse
from rewardlab_probe.measure import CompletionResult, MeasuredRow
from rewardlab_probe.verdicts import WinRule, slices, verdicts


def measured(total, honest, degenerate, family="empty", id="s1", **fields):
    """A row whose honest and degenerate completions got these component values, under a total."""
    expression = parse(total)

    def outcome(values):
        instead = {name: expression.evaluate(values | {name: honest[name]}) for name in expression.names}
        return CompletionResult(total=expression.evaluate(values), values=values, instead=instead)

    sample = Sample(id=id, prompt=({"role": "user", "content": "?"},), fields=fields)
    return MeasuredRow(sample=sample, honest=outcome(honest), degenerate={(family, ""): outcome(degenerate)}, absent={})


def verdict(*rows, family="empty", rule=None):
    return next(one for one in verdicts(rows, rule or WinRule()) if one.family == family)


def apart(difference, family="empty"):
    return measured("a", {"a": 1.0}, {"a": 1.0 + difference}, family)


@each_case("difference, wins", [(0.5, True), (0.0, True), (-1e-7, True), (-1e-5, False), (-0.5, False)])
def test_a_tie_is_a_win_up_to_the_tolerance(difference, wins):
    assert verdict(apart(difference)).wins is wins


@each_case("difference, wins", [(0.5, True), (1e-7, False), (0.0, False), (-0.5, False)])
def test_what_holds_the_honest_completion_may_tie(difference, wins):
    assert verdict(apart(difference, "very_long"), family="very_long").wins is wins


def test_what_holds_only_a_part_of_it_may_not():
    may = [family for family in FAMILIES if not verdict(apart(0.0, family), family=family).wins]
    assert may == ["very_long", "dressed_honest", "shortened", "searched_gain"]


def tried(**differences):
    """A row whose honest completion gets 1, with variants of dressed_honest that get so much more; None: no total."""
    made = {
        ("dressed_honest", name): CompletionResult(
            total=None if more is None else 1.0 + more, values={"a": more}, fatal=more is None, why="down"
        )
        for name, more in differences.items()
    }
    return replace(apart(0.0), degenerate=made)


def test_what_is_said_of_a_family_is_said_of_the_variant_that_comes_furthest():
    found = verdict(tried(one=-0.5, two=-0.1), family="dressed_honest")
    assert (found.variant, found.tried, found.wins, found.difference) == ("two", 2, False, pytest.approx(-0.1))
    found = verdict(tried(one=None, two=-0.1), family="dressed_honest")
    assert (found.variant, found.fatal, found.why) == ("one", 1, "down"), "it would end a run"
    assert verdict(tried(one=None, two=0.1), family="dressed_honest").variant == "two", "a win is worse"


@pytest.mark.parametrize("rows", [2, 3, 4, 8, 32])
def test_a_fair_judge_that_samples_is_seldom_blamed_and_a_biased_one_is(rows):
    """The gain of 30 dressings under a judge whose marks have a deviation of 0.1, against one of which gains 0.3."""
    rng, rule = random.Random(1), WinRule(noisy=True)

    def wins(bias):
        probe = [
            tried(**{f"v{n}": rng.gauss(bias * (n == 7), 0.1) - rng.gauss(0, 0.1) for n in range(30)})
            for _ in range(rows)
        ]
        return verdict(*probe, family="dressed_honest", rule=rule).wins

    assert sum(wins(0.0) for _ in range(100)) <= 10
    if rows >= 8:
        assert sum(wins(0.3) for _ in range(20)) >= 14
    sure = [tried(v=0.3)] * rows
    assert verdict(*sure, family="dressed_honest", rule=rule).wins, "the same gain in each row is no chance"


def test_one_row_and_a_few_ties_are_chance_under_a_judge_that_samples():
    judged = WinRule(noisy=True)
    assert not verdict(tried(v=0.25), family="dressed_honest", rule=judged).wins
    assert verdict(tried(v=0.25), family="dressed_honest").wins
    ties = [apart(0.0), apart(0.0), apart(-0.5), apart(-0.5)]
    assert verdict(*ties).wins
    assert not verdict(*ties, rule=judged).wins
    assert verdict(*ties[:3], rule=judged).wins


def test_a_probe_without_a_judge_takes_every_gain_for_one_unless_there_are_losses_too():
    gains = [tried(v=more) for more in (0.5, 0.0, 0.0)]
    assert verdict(*gains, family="dressed_honest").wins
    assert not verdict(*gains, family="dressed_honest", rule=WinRule(noisy=True)).wins
    assert not verdict(*gains, tried(v=-0.2), family="dressed_honest").wins, "as by a model that every text moves"
    assert verdict(*[tried(v=more) for more in (0.5, 0.4, 0.5, 0.6, 0.5, -0.01)], family="dressed_honest").wins


def test_the_tolerance_is_the_users():
    assert verdict(apart(-0.05), rule=WinRule(tolerance=0.1)).wins
    assert not verdict(apart(0.05, "very_long"), family="very_long", rule=WinRule(tolerance=0.1)).wins


def test_it_wins_by_the_mean_or_by_its_share_of_rows():
    by_mean = [apart(1.0), *[apart(-0.1)] * 8]
    assert (verdict(*by_mean).wins, verdict(*by_mean).won) == (True, 1)
    by_share = [apart(0.1), apart(0.1), *[apart(-1.0)] * 4]
    assert (verdict(*by_share).wins, verdict(*by_share, rule=WinRule(most=0.5)).wins) == (True, False)
    assert not verdict(apart(0.1), *[apart(-1.0)] * 3).wins  # a quarter is not more than a quarter


def test_in_a_sum_the_gain_is_the_terms_own():
    row = measured("a + 2 * b - c", {"a": 1.0, "b": 0.2, "c": 0.0}, {"a": 0.5, "b": 0.9, "c": 0.1})
    found = verdict(row)
    assert found.difference == pytest.approx(0.8)
    assert (found.blame.component, found.blame.left) == ("b", "loses")
    assert found.blame.gain == pytest.approx(2 * 0.7)


def test_a_gate_that_lets_pass_is_blamed_with_all_that_passes():
    row = measured("(a + b) * gate", {"a": 1.0, "b": 0.9, "gate": 0.0}, {"a": 0.8, "b": 0.7, "gate": 1.0})
    found = verdict(row).blame
    assert (found.component, found.left) == ("gate", "ties")
    assert found.gain == pytest.approx(1.5)


def test_a_gate_that_holds_is_named_where_nothing_else_would():
    row = measured("a * gate", {"a": 0.8, "gate": 1.0}, {"a": 1.0, "gate": 0.0})
    found = verdict(row)
    assert (found.wins, found.blame, found.held_by) == (False, None, ["gate"])
    twice = measured("a * gate * lock", {"a": 0.8, "gate": 1.0, "lock": 1.0}, {"a": 1.0, "gate": 0.0, "lock": 0.0})
    assert verdict(twice).held_by == []


def test_a_lead_that_two_components_share_is_left_to_the_smaller_one():
    found = verdict(measured("a + b", {"a": 0.0, "b": 0.0}, {"a": 0.5, "b": 0.3})).blame
    assert (found.component, found.gain, found.left) == ("a", 0.5, "wins")
    row = measured("a + b", {"a": 0.0, "b": 0.0}, {"a": 0.5, "b": 1e-7})
    assert (verdict(row).blame.left, verdict(row).held_by) == ("ties", [])


def test_nobody_is_to_blame_where_nothing_tells_the_two_apart():
    found = verdict(measured("a + b", {"a": 1.0, "b": 0.5}, {"a": 1.0, "b": 0.5}))
    assert (found.wins, found.blame) == (True, None)


def test_gains_are_means_over_the_rows():
    rows = [measured("a + b", {"a": 0.0, "b": 0.5}, {"a": a, "b": 0.5}, id=f"s{a}") for a in (1.0, 0.5, 0.0)]
    found = verdict(*rows)
    assert (found.rows, found.total, found.honest, found.difference, found.won) == (3, 1.0, 0.5, 0.5, 3)
    assert (found.blame.component, found.blame.gain) == ("a", 0.5)
    assert (found.values, found.example) == ({"a": 0.5, "b": 0.5}, "s1.0")


def test_where_it_wins_some_rows_only_these_say_who_is_to_blame():
    lost = measured("a + b", {"a": 1.0, "b": 1.0}, {"a": 0.0, "b": 1.0}, id="lost")
    won = measured("a + b", {"a": 0.5, "b": 0.0}, {"a": 0.5, "b": 0.2}, id="won")
    found = verdict(lost, won, won)
    assert (found.difference, found.wins) == (pytest.approx(-0.2), True)
    assert (found.blame.component, found.blame.lead, found.blame.gain) == ("b", *[pytest.approx(0.2)] * 2)


def test_what_the_total_would_be_without_a_component_may_be_known_of_some_rows_only():
    def row(lead, instead):
        found = measured("a", {"a": 0.0}, {"a": lead})
        outcome = CompletionResult(total=lead, values={"a": lead}, instead={"a": instead})
        return MeasuredRow(sample=found.sample, honest=found.honest, degenerate={("empty", ""): outcome}, absent={})

    blame = verdict(row(1.0, 0.5), row(3.0, None)).blame
    assert (blame.lead, blame.gain, blame.left) == (1.0, 0.5, "wins")
    assert verdict(row(1.0, None)).blame is None
    assert verdict(row(-1.0, None)).held_by == []


def test_rows_where_it_could_not_be_made_count_for_others_only_and_say_why():
    without = [
        MeasuredRow(
            sample=apart(0).sample,
            honest=CompletionResult(total=9.0, values={"a": 9.0}),
            degenerate={},
            absent={"empty": why},
        )
        for why in ("no reference", "too long", "too long")
    ]
    found = verdict(apart(-0.5), *without)
    assert (found.rows, found.honest, found.absent) == (1, 1.0, {"no reference": 1, "too long": 2})


def test_what_has_no_total_neither_wins_nor_loses():
    failed = CompletionResult(total=None, values={"a": None}, why="a fails: down", fatal=True)
    without = MeasuredRow(sample=apart(0).sample, honest=apart(0).honest, degenerate={("empty", ""): failed}, absent={})
    found = verdict(apart(-0.5), without)
    assert (found.rows, found.unscored, found.fatal, found.why, found.wins) == (1, 1, 1, "a fails: down", False)
    failed = CompletionResult(total=None, values={"a": None}, why="a fails: slow", fatal=False)
    later = MeasuredRow(sample=apart(0).sample, honest=apart(0).honest, degenerate={("empty", ""): failed}, absent={})
    assert (verdict(without, later).why, verdict(without, later).fatal) == ("a fails: slow", 1)
    alone = verdict(without)
    assert (alone.rows, alone.total, alone.wins, alone.fatal) == (0, None, False, 1)


def test_a_row_without_an_honest_total_counts_nowhere():
    silent = MeasuredRow(
        sample=apart(0).sample,
        honest=CompletionResult(total=None, values={"a": None}),
        degenerate=apart(1.0).degenerate,
        absent={"very_long": "too long already"},
    )
    found = verdict(apart(-0.5), silent)
    assert (found.rows, found.wins) == (1, False)
    assert verdict(apart(-0.5), silent, family="very_long").absent == {}


def test_slices_are_the_values_of_fields():
    rows = [
        measured("a", {"a": 1.0}, {"a": 0.0}, id=i, **f) for i, f in (("1", {"k": "b"}), ("2", {"k": "a"}), ("3", {}))
    ]
    assert [(name, [row.sample.id for row in some]) for name, some in slices(rows, ["k"])] == [
        ("k a", ["2"]),
        ("k b", ["1"]),
    ]
