"""Each name's part of a total: exact where it is only added, counterfactual for gates and what is mixed."""

import math
from itertools import permutations

import pytest
from helpers.each_case import each_case
from hypothesis import assume, given
from hypothesis import strategies as st
from rewardlab.recipe.expression import parse
from rewardlab.scoring.decomposition import EXACT, Decomposition, shares, shares_of_product

RANGES = {"a": (0.0, 1.0), "b": (-1.0, 1.0), "c": (0.5, 2.0), "d": (0.0, 1.0)}
TOPS = {name: high for name, (_, high) in RANGES.items()}


def _branches(inner):
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({' + '.join(parts)})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} - {two[1]})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({' * '.join(parts)})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} / {two[1]})"),
        inner.map(lambda part: f"-{part}"),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"min({', '.join(parts)})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"max({', '.join(parts)})"),
        inner.map(lambda part: f"clip({part}, -0.5, 0.75)"),
    )


LEAVES = st.sampled_from([*RANGES, *RANGES, "0.5", "2", "3"])
TOTALS = st.recursive(LEAVES, _branches, max_leaves=8)


@st.composite
def totals(draw):
    """An expression of the grammar that a recipe may have: nothing in it can fail within the ranges."""
    expression = parse(draw(TOTALS))
    try:
        expression.range(RANGES)
    except ValueError:
        assume(False)
    return expression


@st.composite
def columns(draw, names, size):
    return {name: draw(st.lists(st.floats(*RANGES[name]), min_size=size, max_size=size)) for name in names}


def parts(total, **values):
    return Decomposition(parse(total), TOPS | {"f": 1.0, "g": 1.0}).parts(values)


@given(st.data(), totals(), st.integers(1, 4))
def test_parts_and_the_constant_add_up_to_the_total(data, expression, size):
    assume(expression.names)
    values = data.draw(columns(expression.names, size))
    found = Decomposition(expression, TOPS).parts(values)
    for index in range(size):
        own = [found.by_name[name][index] for name in expression.names]
        total = expression.evaluate({name: values[name][index] for name in expression.names})
        largest = max(map(abs, [1.0, total, found.constant, *own]))
        assert math.fsum([*own, found.constant]) == pytest.approx(total, abs=1e-12 * largest)


@each_case(
    "total, weights",
    [
        ("a + b", {"a": 1, "b": 1}),
        ("0.5 * a - b / 4 + 3", {"a": 0.5, "b": -0.25}),
        ("-(a - 2 * b)", {"a": -1, "b": 2}),
        ("(a + b) * (1 + 1) - a", {"a": 1, "b": 2}),
        ("-a * 2 - -b / -4", {"a": -2, "b": -0.25}),
        ("a + clip(b, 0, 1)", {"a": 1}),
        ("(a + 2 * b) * c * d", {"a": 2, "b": 4}),  # with c open at 2 and d at 1
        ("a - 2 * ((a + b) * d)", {"a": -1, "b": -2}),
    ],
)
def test_a_name_that_is_only_added_has_a_weight_and_its_part_is_exactly_weight_times_value(total, weights):
    decomposition = Decomposition(parse(total), TOPS)
    assert decomposition.weights == weights
    values = {"a": [0.25, 1.0], "b": [-0.5, 0.1], "c": [0.7, 2.0], "d": [0.0, 1.0]}
    found = decomposition.parts({name: values[name] for name in decomposition.names})
    for name, weight in weights.items():
        assert found.by_name[name] == [weight * value for value in values[name]]


def test_a_gate_takes_away_what_it_does_not_let_through():
    found = parts("(a + b) * f", a=[0.5, 0.5], b=[0.25, 0.25], f=[1.0, 0.2])
    assert found.by_name["a"] == [0.5, 0.5]
    assert found.by_name["b"] == [0.25, 0.25]
    assert found.by_name["f"] == [0.0, pytest.approx(0.75 * -0.8)]
    assert found.constant == 0


def test_a_gate_may_stand_in_a_product_twice():
    found = parts("(a + b) * f * f", a=[0.5], b=[0.5], f=[0.5])
    assert (found.by_name, found.constant) == ({"a": [0.5], "b": [0.5], "f": [-0.75]}, 0)
    found = parts("(a + b) * c * c", a=[0.5], b=[0.5], c=[1.0])  # open at 2 * 2
    assert (found.by_name, found.constant) == ({"a": [2.0], "b": [2.0], "c": [-3.0]}, 0)


def test_several_gates_share_what_they_take_away():
    found = parts("a * (1 + 1) * f * g + 0 * b", a=[0.8], b=[0.0], f=[0.0], g=[0.0])
    assert [found.by_name[name][0] for name in "afg"] == pytest.approx([-2 / 15, -14 / 15, -14 / 15])
    assert found.constant == 2  # a multiplies nothing but gates: it is one, too


def test_bare_names_that_multiply_nothing_else_are_gates_of_the_most_that_they_can_be():
    found = parts("3 * f * g", f=[1.0, 1.0, 0.0], g=[1.0, 0.5, 0.0])
    assert found.constant == 3
    assert found.by_name == {"f": [0.0, 0.0, -1.5], "g": [0.0, -1.5, -1.5]}


def test_gates_inside_of_gates_take_from_what_is_there():
    found = parts("(a * f + b) * g", a=[0.5], f=[0.5], b=[0.5], g=[0.0])
    # a and f are gates of 1, open to g; g takes all that is left
    assert found.by_name["a"] == found.by_name["f"] == [-0.375]
    assert (found.by_name["b"], found.by_name["g"], found.constant) == ([0.5], [-0.75], 1.0)


def test_what_is_mixed_is_compared_with_the_mean_of_the_group():
    found = parts("min(a, d)", a=[0.0, 1.0], d=[0.5, 0.5])
    assert found.means == {"a": 0.5, "d": 0.5}
    assert found.constant == 0.5
    assert found.by_name == {"a": [-0.5, 0.0], "d": [0.0, 0.0]}
    turned = parts("1 - 2 * min(a, d)", a=[0.0, 1.0], d=[0.5, 0.5])
    assert (turned.by_name, turned.constant) == ({"a": [1.0, 0.0], "d": [0.0, 0.0]}, 0.0)


def test_numbers_whose_product_is_too_large_are_left_as_they_stand():
    found = parts("a * 1e308 * 10", a=[1e-10, 0.0])
    assert [value + found.constant for value in found.by_name["a"]] == pytest.approx([1e299, 0.0], abs=1e285)


@each_case("total", ["a / c", "(a + d) * (b + c)", "clip(a + c, 0, 1)", "1 / c", "a / (c * d + 1)"])
def test_denominators_and_products_of_sums_are_mixed(total):
    decomposition = Decomposition(parse(total), TOPS)
    assert "c" in decomposition.mixed
    assert "c" not in {**decomposition.weights, **decomposition.gates}


def test_a_name_may_be_used_in_several_ways():
    decomposition = Decomposition(parse("a + a * b + max(a, d)"), TOPS)
    assert (decomposition.weights, list(decomposition.gates), list(decomposition.mixed)) == (
        {"a": 1},
        ["a", "b"],
        ["a", "d"],
    )


def _by_all_orders(run, values, compared):
    """The definition: the mean over all orders of what each changes when it acts."""
    found, orders = dict.fromkeys(values, 0.0), list(permutations(values))
    for order in orders:
        now = dict(compared)
        for name in order:
            before = run(now)
            now[name] = values[name]
            found[name] += (run(now) - before) / len(orders)
    return found


numbers = st.floats(-2, 2)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5))
def test_shares_are_the_mean_over_all_orders(drawn):
    values = {str(at): value for at, (value, _) in enumerate(drawn)}
    opened = {str(at): top for at, (_, top) in enumerate(drawn)}
    wanted = _by_all_orders(lambda now: math.prod(now.values()), values, opened)
    product = shares_of_product(list(values.values()), list(opened.values()))
    assert product == pytest.approx(list(wanted.values()), abs=1e-9)

    def mixed(now):
        return max(now.values()) + min(now.values()) * now["0"]

    assert shares(mixed, values, opened) == pytest.approx(_by_all_orders(mixed, values, opened), abs=1e-9)


def test_more_names_than_can_be_shared_between_exactly_act_in_their_order():
    values = {str(at): 1.0 for at in range(EXACT + 1)}
    compared = dict.fromkeys(values, 0.25)
    found = shares(lambda now: max(now.values()), values, compared)
    assert found == dict.fromkeys(values, 0.0) | {"0": 0.75}


def test_as_many_as_can_be_shared_between_exactly_are():
    values = {str(at): 1.0 for at in range(EXACT)}
    found = shares(lambda now: max(now.values()), values, dict.fromkeys(values, 0.0))
    assert list(found.values()) == pytest.approx([1 / EXACT] * EXACT)
