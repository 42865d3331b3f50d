r"""Lists, sets, tuples and intervals: `1, 2`, `\{1, 2\}`, `(1, 2, 3)`, `(1, 2)`."""

import pytest
from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.judge import judge_answer


def is_right(gold, answer):
    return judge_answer(golds(gold, "en", 2.0), [answer], "en", 2.0).right


@pytest.mark.slow
@each_case(
    "gold, answer",
    [
        (r"\{-1,1\}", "-1, 1"),
        (r"\{-1,1\}", r"\{1,-1\}"),
        (r"\{1,2\}", r"\left\{ 2, 1 \right\}"),
        (r"\{1,2\}", r"\lbrace 2, 1\rbrace"),
        (r"\{1,2\}", "{2, 1}"),
        (r"\{1,2,3\}", "3, 2, 1"),
        ("-1, 1", r"\{1,-1\}"),
        ("(1,2,3)", "1, 2, 3"),
        ("(2,1)", "2, 1"),
        ("1,2,3", "(1,2,3)"),
        ("3, 4", "y = 4, x = 3"),
        (r"\{(1,2),(3,4)\}", r"\{(3,4),(1,2)\}"),
        (r"\{(1,2),(3,4)\}", "(3,4),(1,2)"),
        (r"A = \{1,2\}", r"\{2,1\}"),
        (r"x \in \{0,1\}", r"x = 0 \text{ or } x = 1"),
        (r"x \in \{0,1\}", "0, 1"),
        (r"\{5\}", "5"),
        ("5", r"\{5\}"),
        ("(1,2)", r"\{(1,2)\}"),
        (r"\pm 1, 2", "1, -1, 2"),
        ("[1,2)", "1 <= x < 2"),
        (r"\lfloor x \rfloor, \lceil x \rceil", r"\lceil x \rceil, \lfloor x \rfloor"),
    ],
)
def test_members_in_other_brackets_or_another_order_are_equal_where_the_kind_allows_it(gold, answer):
    assert is_right(gold, answer)


@each_case(
    "gold, answer",
    [
        (r"\{-1,1\}", "(-1,1)"),
        ("(-1,1)", r"\{-1,1\}"),
        ("(-1,1)", r"\left\{-1,1\right\}"),
        ("(-1,1)", r"\lbrace -1,1 \rbrace"),
        ("(1,2)", "{1, 2}"),
        (r"\{3,2,1\}", "(1,2,3)"),
        ("(1,2,3)", r"\{1,2,3\}"),
        (r"\{1,2,3\}", "[1,2,3]"),
        ("[1,2)", r"\{1,2\}"),
        (r"x\in(-1,1)", r"x\in\{-1,1\}"),
        (r"x\in\{0,1\}", r"x\in(0,1)"),
        (r"A = \{1,2\}", "(1,2)"),
        (r"A = (1,2)", r"A = \{1,2\}"),
        (r"\{(1,2),(3,4)\}", r"\{(2,1),(4,3)\}"),
        (r"\{(1,2),(3,4)\}", r"\{\{1,2\},\{3,4\}\}"),
        ("(1,2,3)", "1, 3, 2"),
        ("(1,2,3)", "(1,3,2)"),
        ("1,2,3", "(3,2,1)"),
        ("3, 4", "(4, 3)"),
        ("3, 4", "x = 4, y = 3"),
        ("(1,2]", "[1,2)"),
        (r"\{1,2\}", r"\{1,2,3\}"),
        (r"\{1,2,3\}", "1, 2"),
    ],
)
def test_a_set_a_tuple_and_an_interval_are_three_things(gold, answer):
    assert not is_right(gold, answer)


@each_case(
    "gold, answer, right",
    [
        ("1,1,2", "2,1,1", True),
        ("1,1,2", "1,2,2", False),
        ("1,1,2", "1,2", False),
        ("1,2", "1,1,2", False),
        ("2", "2, 2", False),
        ("2, 2", "2", False),
        ("n=1,1,2", "n=2,1,1", True),
        ("n=1,1,2", "n=1,2,2", False),
        ("x=1, x=1, x=2", "x=1, x=2, x=2", False),
        (r"\frac12, 0.5, 1", "0.5, 1, 0.5", True),
        ("1/2, 1/3", "0.333333, 0.5", True),
        ("a, b, a", "a, a, b", True),
        ("a, b, a", "a, b, b", False),
        (r"\sqrt2, \sqrt3, \sqrt2", r"\sqrt{3}, \sqrt{2}, \sqrt{2}", True),
        (r"\sqrt2, \sqrt3, \sqrt2", r"\sqrt{2}, \sqrt{3}, \sqrt{3}", False),
        ("(1,1),(1,1),(2,2)", "(2,2),(1,1),(1,1)", True),
        ("(1,1),(1,1),(2,2)", "(1,1),(2,2),(2,2)", False),
        (r"\{1,1,2\}", r"\{1,2,2\}", True),
        (r"\{1,2\}", "1, 1, 2", True),
        ("1,1,2", r"\{1,2\}", True),
    ],
)
def test_repeats_count_in_a_list_and_not_in_a_set(gold, answer, right):
    assert is_right(gold, answer) is right


@pytest.mark.slow
def test_a_long_list_in_another_order_takes_no_time():
    members = [f"{number} x" for number in range(150)]
    assert is_right(", ".join(members), ", ".join(reversed(members)))
