from dataclasses import replace

import pytest
from helpers.each_case import each_case
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError
from rewardlab import Candidates, Completion, Context, PoolEntry, Sample, Score, find

SPEC = find("curriculum", "curriculum/balanced")
SAMPLE = Sample(id="s1")
value = st.sampled_from([0.0, 0.4, 0.5, 1.0, None])
cells = st.lists(st.tuples(value, value), min_size=8, max_size=40)
BOTH, NEITHER, THOUGHT, LUCK, UNKNOWN = (1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (None, 1.0)


def balanced(**options):
    return SPEC.build(SPEC.config(reasoning="thinking", answer="right", **options), Context())


def score(value):
    return Score(error="no luck") if value is None else Score(value=value)


def pool(*cells, size=8, sample=SAMPLE):
    entries = [
        PoolEntry(
            completion=Completion(text=f"text {index}"),
            scores={"thinking": score(thinking), "right": score(right), "other": score(0.3)},
        )
        for index, (thinking, right) in enumerate(cells)
    ]
    return Candidates(sample=sample, size=size, entries=tuple(entries))


def quadrant(cell):
    return None if None in cell else tuple(value >= 0.5 for value in cell)


def quadrants(cells, selected):
    return [quadrant(cells[index]) for index in selected]


@given(cells, st.integers(1, 8))
def test_it_selects_n_different_ones(cells, n):
    selected = balanced().select(pool(*cells), n)
    assert len(selected) == len(set(selected)) == n
    assert all(0 <= index < len(cells) for index in selected)


@given(cells)
def test_a_quarter_is_of_each_quadrant_as_far_as_there_are_any(cells):
    taken = quadrants(cells, balanced().select(pool(*cells), 8))
    there = [quadrant(cell) for cell in cells]
    for kind in ((True, True), (True, False), (False, True), (False, False)):
        assert taken.count(kind) >= min(2, there.count(kind))


@given(cells)
def test_what_one_quadrant_lacks_the_others_give_as_evenly_as_they_can(cells):
    taken = quadrants(cells, balanced().select(pool(*cells), 8))
    there = [quadrant(cell) for cell in cells]
    for kind in set(there) - {None}:
        if taken.count(kind) < there.count(kind):  # some are left: no other quadrant has two more
            assert all(taken.count(other) <= taken.count(kind) + 1 for other in set(there) - {None})


@given(cells)
def test_completions_without_a_value_come_last(cells):
    taken = quadrants(cells, balanced().select(pool(*cells), 8))
    known = sum(quadrant(cell) is not None for cell in cells)
    assert taken.count(None) == max(0, 8 - known)


@given(cells, st.randoms(use_true_random=False))
def test_the_order_of_the_pool_does_not_matter(cells, random):
    whole = pool(*cells)
    order = random.sample(range(len(cells)), len(cells))
    shuffled = replace(whole, entries=tuple(whole.entries[index] for index in order))
    selected = balanced().select(shuffled, 8)
    assert [order[index] for index in selected] == balanced().select(whole, 8)


def test_which_ones_depends_on_the_sample_and_is_the_same_in_every_process():
    cells = [BOTH, NEITHER] * 16
    assert balanced().select(pool(*cells), 4) == [8, 19, 14, 15]
    assert balanced().select(pool(*cells, sample=Sample(id="s2")), 4) != [8, 19, 14, 15]


@each_case(
    "exit, cells, enough",
    [
        ("balanced", [BOTH] * 2 + [NEITHER] * 2 + [LUCK] * 4, True),
        ("balanced", [BOTH] * 2 + [NEITHER] + [LUCK] * 5, False),
        ("balanced", [BOTH] + [NEITHER] * 7, False),
        ("balanced", [BOTH] * 2 + [NEITHER] + [UNKNOWN] * 5, False),
        ("balanced", [BOTH] * 2 + [NEITHER] * 2 + [UNKNOWN] * 12, True),
        ("positive", [BOTH] + [NEITHER] * 7, True),
        ("positive", [THOUGHT, LUCK] * 4, False),
        ("positive", [NEITHER] * 8, False),
        ("positive", [UNKNOWN] * 8, False),
    ],
)
def test_it_asks_for_a_round_until_the_exit_condition_holds(exit, cells, enough):
    assert balanced(exit=exit, round=5).more(pool(*cells)) == (0 if enough else 5)


@each_case("there, wanted", [(8, 8), (15, 5), (19, 1), (20, 0), (21, 0)])
def test_it_asks_for_no_more_than_its_cap(there, wanted):
    assert balanced(cap=20).more(pool(*[NEITHER] * there)) == wanted
    assert SPEC.most(SPEC.config(reasoning="a", answer="b", cap=20), 8) == 20


@given(st.integers(1, 24), st.integers(0, 8), st.integers(0, 8))
def test_a_group_that_four_does_not_divide_needs_its_share_rounded_up(size, both, neither):
    assume(both + neither > 0)
    wanted = balanced().more(pool(*[BOTH] * both, *[NEITHER] * neither, size=size))
    share = -(-size // 4)
    assert (wanted == 0) == (both >= share and neither >= share)


def test_the_threshold_itself_is_correct():
    near = [(0.7, 0.7), (0.69, 0.69)] * 4
    assert balanced(threshold=0.7).more(pool(*near)) == 0
    assert balanced(threshold=0.71).more(pool(*near)) == 8
    assert balanced(threshold=0.69).more(pool(*near)) == 8


def test_a_component_that_is_not_there_is_named():
    spec = SPEC.config(reasoning="thinkng", answer="right")
    with pytest.raises(ValueError, match=r"reasoning: no component 'thinkng' .* there is thinking, right, other"):
        SPEC.build(spec, Context()).more(pool(*[BOTH] * 8))


@each_case("options", [{"cap": 0}, {"round": 0}, {"exit": "never"}, {"threshold": float("nan")}, {"reasoning": None}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        SPEC.config(**{"reasoning": "a", "answer": "b"} | options)


def test_both_components_must_be_named():
    with pytest.raises(ValidationError, match=r"reasoning[\s\S]*answer"):
        SPEC.config()
