"""Circles among the verdicts on N answers, against tournaments counted by hand and by all orders."""

from itertools import combinations, permutations
from random import Random

import pytest
from helpers.each_case import each_case
from rewardlab_measure.judge_agreement.cycles import MAX_SUBSETS, cyclic_share_by_size
from rewardlab_measure.judge_agreement.judge_verdicts import JudgeCalls


def group(*winners):
    """A group of which (i, j) says that i beat j, asked in both orders."""
    verdicts = {}
    for winner, loser in winners:
        verdicts |= {(winner, loser): "A", (loser, winner): "B"}
    return JudgeCalls(verdicts=verdicts)


CIRCLE = [(0, 1), (1, 2), (2, 0)]


@each_case(
    "groups, shares",
    [
        ([], {}),
        ([group((0, 1))], {}),
        ([group(*CIRCLE)], {3: 1.0}),
        ([group((0, 1), (1, 2), (0, 2))], {3: 0.0}),
        ([group(*CIRCLE, (0, 3), (1, 3), (2, 3))], {3: 0.25, 4: 1.0}),
        ([group(*CIRCLE), group((0, 1), (1, 2), (0, 2))], {3: 0.5}),
        ([group(*CIRCLE, (0, 3), (1, 3))], {3: 0.5}),  # 2 and 3 have no verdict: two threes are whole, no four is
    ],
)
def test_the_share_of_subsets_with_a_circle(groups, shares):
    assert cyclic_share_by_size(groups) == shares


@pytest.mark.parametrize("circle", [CIRCLE, [pair[::-1] for pair in CIRCLE]])
def test_orders_that_disagree_are_a_tie_and_break_the_circle(circle):
    tie = {**group(*circle).verdicts, (0, 1): "A", (1, 0): "A"}
    assert cyclic_share_by_size([JudgeCalls(verdicts=tie)]) == {3: 0.0}


def test_one_order_is_enough_and_an_unread_reply_leaves_the_pair_out():
    once = JudgeCalls(verdicts={(0, 1): "A", (1, 2): "A", (2, 0): "A"})
    assert cyclic_share_by_size([once]) == {3: 1.0}
    unread = JudgeCalls(verdicts={**once.verdicts, (1, 0): "unparsable"})
    assert cyclic_share_by_size([unread]) == {}


@each_case("seed", range(5))
def test_a_group_has_a_circle_where_no_order_ranks_it(seed):
    """Against the definition: a tournament is transitive if some order agrees with every win."""
    draw = Random(seed)
    wins = {pair if draw.random() < 0.7 else pair[::-1] for pair in combinations(range(6), 2)}

    def ranked(answers):
        return any(all((i, j) in wins for i, j in combinations(order, 2)) for order in permutations(answers))

    found = cyclic_share_by_size([group(*wins)])
    for size in range(3, 7):
        subsets = list(combinations(range(6), size))
        assert found[size] == sum(not ranked(subset) for subset in subsets) / len(subsets)


def test_a_large_group_is_drawn_from_and_the_same_in_every_run():
    draw = Random(1)
    wins = [pair if draw.random() < 0.9 else pair[::-1] for pair in combinations(range(24), 2)]
    first, second = cyclic_share_by_size([group(*wins)]), cyclic_share_by_size([group(*reversed(wins))])
    assert first == second
    assert list(first) == list(range(3, 25))
    assert 0 < first[3] < first[6] < first[24] == 1.0
    assert (first[3] * MAX_SUBSETS).is_integer()
