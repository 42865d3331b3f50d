r"""Sequences, whose order is what they say: `4 1 3 2`, `A C B`, `IV`; and products, which look like them."""

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
        ("VI", "VI"),
        ("VI", "vi"),
        (r"\text{VI}", "VI"),
        (r"\mathrm{IX}", r"\text{IX}"),
        ("A B C", "A B C"),
        ("A B C", "ABC"),
        ("A B C", "A, B, C"),
        ("A, B, C", "C, A, B"),
        ("HT", "HT"),
        ("RT", "R T"),
        ("RT", r"R \cdot T"),
        ("RT", r"T \cdot R"),
        ("pq", "qp"),
        ("xy", "yx"),
        ("x y", "y x"),
        ("2ab", "2ba"),
        ("ab", r"b \cdot a"),
        ("x^2y", "yx^2"),
        ("2xyz", "2zyx"),
        ("PV=nRT", "VP=nTR"),
        (r"\frac{AB}{C}", r"\frac{BA}{C}"),
        ("AB + C", "C + BA"),
        ("m g h", "mgh"),
        ("A-B-C", "A - B - C"),
        ("A - B", "-B + A"),
        ("4-1-3-2", "4 - 1 - 3 - 2"),
        ("-4", "1-2-3"),
        ("H2O", "H2O"),
        ("x2", "2x"),
        ("2AB", "2BA"),
        ("1 2 3 4", "1 2 3 4"),
        ("1 2 3 4", "1, 2, 3, 4"),
        ("1 2 3 4", "(1,2,3,4)"),
        ("1.5 2.5", "1.50 2.5"),
        ("1 234", "1234"),
        ("1 1/2", "1.5"),
        ("12 345 678", "12345678"),
        ("5 - 3", "2"),
        (r"\angle ABC", r"\angle CBA"),
        (r"\angle AB", r"\angle BA"),
        (r"\triangle ABC", r"\triangle ABC"),
        ("a+b", "b+a"),
        ("i j", "j i"),
    ],
)
def test_the_same_order_or_the_same_product_is_right(gold, answer):
    assert is_right(gold, answer)


@pytest.mark.slow
@each_case(
    "gold, answer",
    [
        ("VI", "IV"),
        ("VI", "iv"),
        (r"\text{VI}", r"\text{IV}"),
        (r"\mathrm{IX}", "XI"),
        ("XL", "LX"),
        ("XIV", "XVI"),
        ("A B C", "A C B"),
        ("A B C", "A, C, B"),
        ("A B C", "CBA"),
        (r"\text{HT}", r"\text{TH}"),
        ("HT", "TH"),
        ("H H T", "H T H"),
        ("AB", "BA"),
        ("m g h", "m h g"),
        ("b a c", "a b c"),
        ("A-B-C", "A-C-B"),
        ("1-2-3", "1-3-2"),
        ("4-1-3-2", "4-1-2-3"),
        ("H2O", "O2H"),
        ("B12", "12B"),
        ("1 2 3 4", "4 1 3 2"),
        ("1 2 3 4", "4, 1, 3, 2"),
        ("1 2 3 4", "10"),
        ("10", "1 2 3 4"),
        ("1 2", "2 1"),
        ("1 2", "12"),
        ("12", "1 2"),
        ("1 2", "2"),
        ("5 1", "5 5 1"),
        ("0 1 1 0", "0 1 0 1"),
        ("3 1 2", r"\{1,2,3\}"),
        ("1.5 2.5", "2.5 1.5"),
        ("-1 2 3", "-1 3 2"),
        (r"\angle ABC", r"\angle ACB"),
        ("AB", "2"),
        ("WXYZ", "ZYXW"),
        ("A > C > B", "A > B > C"),
        ("DC", "CD"),
    ],
)
def test_another_order_is_wrong(gold, answer):
    assert not is_right(gold, answer)
