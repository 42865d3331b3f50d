r"""Dates: months are no units, and numbers between dashes no differences."""

from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.judge import judge_answer


def is_right(gold, answer):
    return judge_answer(golds(gold, "en", 2.0), [answer], "en", 2.0).right


@each_case(
    "gold, answer",
    [
        (r"5 \text{ May}", r"\text{May 5}"),
        (r"5 \text{ May}", "May 5th"),
        ("5", r"5 \text{ May}"),
        (r"5 \text{ May}", r"5 \text{ May } 2020"),
        (r"\text{May 5, 2020}", "5 May 2020"),
        (r"\text{May 5, 2020}", "2020-05-05"),
        ("2020-05-06", "2020-05-06"),
        ("2020-05-06", "2020/5/6"),
        ("2020-05-06", "6. Mai 2020"),
        ("2020-05-06", "le 6 mai 2020"),
        ("2020-05-06", "6 de mayo de 2020"),
        ("2020-05-06", "6 мая 2020 года"),
        ("2020-05-06", "2020年5月6日"),
        ("2020-05-06", "6.5.2020"),
        ("2020-05-13", "5/13/2020"),
        ("2020-05-13", "13/5/2020"),
        ("2020-05-05", "5/5/2020"),
        ("5/6/2020", "05/06/2020"),
        ("5月6日", "May 6"),
        ("5. Mai", "May 5"),
        ("1er mai", "May 1"),
        (r"\text{May } 2020", "May 2020"),
        (r"\text{Monday, May 5}", "May 5"),
        (r"\text{May 5}", "Monday, May 5"),
        (r"\text{December 25}", "25 Dec"),
        (r"\text{March 3}", "3rd of March"),
        (r"5 \text{ months}", "5"),
        (r"5 \text{ May}", r"5^{\text{th}} \text{ May}"),
        (r"5 \text{ May}", r"\text{May } 5^{th}"),
        (r"5 \text{ May}", r"\text{the 5th of May}"),
        ("7:30 p.m.", "7:30 PM on Tuesday"),
        (r"8 \text{ May 1945}", "8. Mai 1945"),
        ("1945-05-08", "May 8, 1945"),
        ("1945-05-08", "08.05.1945"),
        (r"7:30 p.m. \text{ on Tuesday}", "7:30 PM on Tuesday"),
        (r"7:30 p.m. \text{ on Tuesday}", "7:30 p.m."),
    ],
)
def test_the_same_date_in_another_writing_or_language_is_right(gold, answer):
    assert is_right(gold, answer)


@each_case(
    "gold, answer",
    [
        (r"5 \text{ May}", r"5 \text{ June}"),
        (r"5 \text{ May}", "5"),
        ("5", "May 5, 2020"),
        (r"\text{May 5, 2020}", "2020-05-06"),
        (r"\text{May 5, 2020}", "May 5, 2021"),
        (r"\text{May 5, 2020}", "May 5"),
        ("2009", "2020-05-06"),
        ("2020-05-06", "2009"),
        ("2020-05-06", "2020-06-05"),
        ("2020-05-06", "2020年6月5日"),
        ("2020-05-06", "5/6/2020"),
        ("5/6/2020", "6/5/2020"),
        ("5/6/2020", "5/6"),
        ("5月6日", "5月7日"),
        ("5. Mai", "5. Juni"),
        ("5 de mayo", "6 de mayo"),
        ("5 मई", "5 जून"),
        (r"\text{May } 2020", r"\text{June } 2020"),
        (r"\text{Monday, May 5}", "Tuesday, May 5"),
        (r"\text{December 25}", "25 Oct"),
        (r"12 \text{ Mar}", r"12 \text{ Apr}"),
        ("1-2^{-2000}", "1-2-2000"),
        (r"5 \text{ May}", r"\text{the 6th of May}"),
        (r"\text{May 5 and June 6}", r"\text{May 6 and June 5}"),
        ("7:30-8:15", "7:30-9:15"),
        ("1945-05-08", "8/5/1945"),
        (r"\text{July 4}", "7/4"),
        (r"\text{July 4}", "4"),
        (r"\text{January}", r"\text{February}"),
        (r"\text{Tuesday}", r"\text{Thursday}"),
        (r"\text{Friday the 13th}", r"\text{Friday}"),
        ("3/4", "3/4/2000"),
        ("7:30 p.m.", "7:30 AM on Tuesday"),
        (r"7:30 p.m. \text{ on Tuesday}", "7:30 p.m. on Wednesday"),
        (r"7 p.m. \text{ on Friday}", "7 a.m. on Friday"),
    ],
)
def test_another_date_is_wrong(gold, answer):
    assert not is_right(gold, answer)
