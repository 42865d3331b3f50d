r"""Ratios of two and of more numbers."""

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
        ("1:12", r"\frac{1}{12}"),
        ("3:4", "6:8"),
        ("3:4", "15:20"),
        ("1:2:3", "2:4:6"),
        (r"1:\sqrt{3}:2", r"\sqrt{3}:3:2\sqrt{3}"),
        ("2:3:4", "4:6:8"),
        ("2:3:4", "1:1.5:2"),
        ("2 : 3 : 4", "2:3:4"),
        ("x:y:z=2:3:4", "2:3:4"),
        (r"\frac12:\frac13:\frac14", "6:4:3"),
        ("(a+b):c:d", "(b+a):c:d"),
        ("3:1", "3"),
        ("3:4", "0.75"),
        ("0:1:2", "0:1:2"),
        ("7:30 a.m., 8:15 p.m.", "8:15 p.m., 7:30 a.m."),
        (r"7:30 a.m. \text{ and } 8:15 p.m.", "7:30 AM, 8:15 PM"),
    ],
)
def test_a_ratio_in_other_numbers_is_right(gold, answer):
    assert is_right(gold, answer)


@pytest.mark.slow
@each_case(
    "gold, answer",
    [
        ("1:12", "2:24"),
        ("1:2:3", "2:3:4"),
        ("1:2:3", "1:6"),
        ("1:2:3", "3:2:1"),
        (r"1:\sqrt{3}:2", r"1:2:\sqrt{3}"),
        ("2:3:5", "1:7.5"),
        ("a:b:c", "a:c:b"),
        ("2:3:4:5", "2:3:5:4"),
        ("a:b:c", "a:c:b"),
        ("0:1:2", "0:2:1"),
        ("7:30 a.m., 8:15 p.m.", "7:30 p.m., 8:15 a.m."),
        (r"7:30 \text{ to } 8:15", r"7:30 \text{ to } 8:30"),
    ],
)
def test_another_ratio_is_wrong(gold, answer):
    assert not is_right(gold, answer)
