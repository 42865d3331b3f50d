r"""Times of day: a colon is neither a quotient nor a ratio to be reduced, and halves of the day count."""

from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.judge import judge_answer


def is_right(gold, answer):
    return judge_answer(golds(gold, "en", 2.0), [answer], "en", 2.0).right


@each_case(
    "gold, answer",
    [
        (r"7:30 \text{ a.m.}", r"\text{7:30 a.m.}"),
        (r"7:30 \text{ a.m.}", "7:30 AM"),
        (r"7:30 \text{ a.m.}", "07:30"),
        (r"7:30 \text{ p.m.}", "19:30"),
        ("19:30", "7:30 p.m."),
        ("7:30", "7:30 p.m."),
        (r"6\!:\!00", "6:00"),
        (r"6\!:\!00 \text{ p.m.}", "18:00"),
        (r"\text{noon}", "12:00 p.m."),
        (r"\text{noon}", "12:00"),
        (r"\text{noon}", "12 noon"),
        (r"\text{noon}", r"\text{12:00 noon}"),
        ("12:00 p.m.", "noon"),
        ("12:00 a.m.", "midnight"),
        ("12:00 a.m.", "0:00"),
        (r"\text{midnight}", "00:00"),
        (r"\text{midnight}", "24:00"),
        ("12:45 p.m.", "12:45"),
        ("12:45 a.m.", "0:45"),
        ("10 a.m.", "10:00 a.m."),
        ("10 a.m.", "10:00 AM"),
        ("10 a.m.", "10"),
        ("9:05:30", "9:05:30"),
        ("9:05:30 p.m.", "21:05:30"),
        ("19:30 Uhr", "19:30"),
        ("19.30 Uhr", "19:30 Uhr"),
        ("19h30", "19:30"),
        ("7 h 30 du matin", "7:30 a.m."),
        ("下午7:30", "7:30 p.m."),
        ("午後7時30分", "19:30"),
        ("午前7時", "7 a.m."),
        ("오후 7시 30분", "7:30 PM"),
        ("3:45 in the afternoon", "3:45 p.m."),
        ("3:45 p.m.", "at 3:45 p.m."),
        ("t = 7:30 p.m.", "7:30 p.m."),
        ("7:30 p.m.", "t = 7:30 p.m."),
        ("7:30 p.m.", "7:30 p.m. EST"),
        ("7:30 p.m.", r"7:30 \text{ in the evening}"),
        ("3:00", "3 o'clock"),
        ("3:00", "3:00"),
        (r"2:30 \text{ hours}", "2:30"),
        (r"\text{5 PM}", "17:00"),
        (r"5\text{p.m.}", r"5:00 \text{p.m.}"),
        (r"\text{Noon}", r"\text{noon}"),
        (r"5:30 \text{PM}", "17:30"),
        ("1:00 PM", "13:00"),
        ("12:30 AM", "00:30"),
    ],
)
def test_the_same_time_of_day_in_another_writing_is_right(gold, answer):
    assert is_right(gold, answer)


@each_case(
    "gold, answer",
    [
        (r"7:30 \text{ a.m.}", r"7:30 \text{ p.m.}"),
        (r"7:30 \text{ a.m.}", "19:30"),
        ("19:30", "7:30"),
        ("19:30", "7:30 a.m."),
        ("7:30", "19:30"),
        ("7:30", "7.30"),
        ("7:30", "7:03"),
        ("10:20", "5:10"),
        (r"10:20 \text{ a.m.}", r"5:10 \text{ a.m.}"),
        (r"\text{noon}", "midnight"),
        ("12:00 a.m.", "noon"),
        ("12:00 a.m.", "12:00 p.m."),
        ("12:45 a.m.", "12:45 p.m."),
        ("10 a.m.", "10 p.m."),
        ("10 a.m.", "11 a.m."),
        (r"10 \text{ AM}", "10:30 AM"),
        ("5", "5:30 p.m."),
        ("9:05", "9:50"),
        ("9:05:30", "9:05:31"),
        ("7 h 30 du soir", "7:30 a.m."),
        ("午前7時", "7 p.m."),
        ("3:45 in the afternoon", "3:45 a.m."),
        ("$3:45$ p.m.", "3:45 a.m."),
        ("3:45 p.m.", "$3:45$ in the morning"),
        ("7:30 a.m.", r"\frac{7}{30}"),
        ("12:35", "24:70"),
        ("9:05:30", "9:06:30"),
        ("10:20:30", "20:40:60"),
        ("7:30 p.m.", r"\text{The train arrives at 7:30 a.m.}"),
        (r"2 \text{ hours } 30 \text{ minutes}", "2:30"),
        ("2:30", "2:45"),
        ("10:00", "10"),
        (r"\text{5 PM}", r"\text{5 AM}"),
        ("12:30 AM", "24:30"),
        (r"7:30 p.m. \text{ EST}", "7:30 p.m. PST"),
    ],
)
def test_another_time_of_day_is_wrong(gold, answer):
    assert not is_right(gold, answer)


def test_a_time_of_day_is_no_formula_that_cannot_be_read():
    assert [gold.refused for text in ("12:00", "6:00 p.m.", "noon") for gold in golds(text, "en", 2.0)] == [None] * 3
