"""Answers that break off, and notation of sets, vectors, intervals and roots that says the same, or does not."""

from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.judge import judge_answer

WRONG = [
    ("4", "4-"), ("42", "42..."), ("42", r"42\ldots"), ("4", "4/"), ("4", r"4 \cdot"), ("4", "4="),
    ("1", r"\{\{1\}\}"),
    (r"\{1\}", r"\{\{1\}\}"), ("1", r"\{\emptyset\}"), (r"\emptyset", r"\{\emptyset\}"), ("A^T", "A"),
    ("A", r"A^{\top}"),
    (r"(AB)^T", "AB"), (r"\mathbf{a}\times\mathbf{b}", r"\mathbf{a}\cdot\mathbf{b}"),
    (r"\vec{a}\cdot\vec{b}", r"\vec{a}\times\vec{b}"),
    (r"\vec{a}\times\vec{b}", r"\vec{b}\times\vec{a}"), ("(1,3)", "x>1 or x<3"), ("(1,3)", "x>1 and x<4"),
    ("0", "no solution"),
    (r"(1,2)\cup(3,4)", "(1,2), (3,5)"), ("i", r"\sqrt{-4}"), ("(1,2),(3,4)", r"(1,2)\cup(3,4)"),
    ("10", r"{5 \choose 1}"),
]  # fmt: skip
RIGHT = [
    ("3.14159", "3.14159..."), ("A-", "A-"), ("1, 2, 3, ...", "1,2,3,..."), (r"A^{\top}", "A^T"),
    (r"\vec{a}\cdot\vec{b}", r"\vec{b}\cdot\vec{a}"), ("ab", r"a \cdot b"), ("6", r"2 \times 3"),
    ("(1,3)", "x>1 and x<3"),
    (r"x>1 \text{ and } x<3", "1<x<3"), (r"(1,2)\cup(3,4)", "(1,2) U (3,4)"),
    (r"(-\infty,1)\cup(3,\infty)", r"(-\infty,1), (3,\infty)"),
    (r"(1,2)\cup(3,4)", r"(1,2) \text{ and } (3,4)"), ("i", r"\sqrt{-1}"), ("2i", r"\sqrt{-4}"),
    (r"\frac12", r"\nicefrac{1}{2}"),
    ("10", r"{5 \choose 2}"), (r"\binom52", r"5 \choose 2"), (r"\emptyset", "no real solutions"),
    ("no solution", r"\emptyset"),
    (r"\varnothing", r"\{\}"), (r"\emptyset", "无解"), ("no solution", "There is no solution."),
    (r"\emptyset", "keine Lösung"),
]  # fmt: skip


def right(gold, answer):
    return judge_answer(golds(gold, None, 5.0), [answer], None, 5.0).right


@each_case("gold, answer", WRONG)
def test_it_is_another_answer(gold, answer):
    assert not right(gold, answer)


@each_case("gold, answer", RIGHT)
def test_it_is_the_same_answer(gold, answer):
    assert right(gold, answer)
