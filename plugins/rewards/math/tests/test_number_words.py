"""Numbers in English, Chinese and Japanese words."""

from helpers.each_case import each_case
from rewardlab_math.number_words import in_digits


@each_case(
    "words, digits",
    [
        ("zero", "0"),
        ("seven", "7"),
        ("Twelve", "12"),
        ("twenty-four", "24"),
        ("sixty four", "64"),
        ("a hundred", "100"),
        ("one hundred and twenty", "120"),
        ("two hundred fifty", "250"),
        ("two thousand and five", "2005"),
        ("one hundred thousand five hundred and six", "100506"),
        ("one million two hundred thousand", "1200000"),
        ("minus five", "-5"),
        ("negative twelve", "-12"),
        ("a dozen", "12"),
        ("two thirds", "2/3"),
        ("one half", "1/2"),
        ("three quarters", "3/4"),
        ("three and a half", "7/2"),
        ("three point one four", "157/50"),
        ("seven apples", "7 apples"),
        ("fifty percent", "50 percent"),
        ("infinitely many", r"\infty"),
        ("七万円", "70000円"),
        ("一千二百", "1200"),
        ("三百五十", "350"),
        ("壹佰", "100"),
        ("二十四", "24"),
        ("百", "100"),
        ("十五", "15"),
        ("两千", "2000"),
        ("一万二千", "12000"),
        ("十二万三千四百五十六", "123456"),
        ("一千零五", "1005"),
        ("二〇二五", "2025"),
        ("三分之二", "2/3"),
        ("三分の二", "2/3"),
        ("一又二分之一", "3/2"),
        ("百分之五十", "50%"),
        ("三点五", "7/2"),
        ("负五", "-5"),
        ("マイナス五", "-5"),
        ("1億2000万", "120000000"),
        ("八个", "8个"),
        ("四十二度", "42度"),
        ("无穷多个", r"\infty"),
    ],
)
def test_a_number_in_words_is_that_number(words, digits):
    assert in_digits(words) == digits


@each_case(
    "text",
    [
        "a",
        "A",
        "an",
        "and",
        "hundred",
        "none",
        "no one",
        "one or two",
        "eight and nine",
        "two, three",
        "one two three",
        "five less than ten",
        "two to three",
        "twenty fifth",
        "nineteen eighty-four",
        "one hundred hundred",
        "twenty-zero",
        "point five",
        "Seven Samurai",
        "stop",
        "one of the first two",
        "三角形",
        "一次函数",
        "二月",
        "三四",
        "百千",
        "十十",
        "万",
        "千米",
        "3千米",
        "3万",
        "一百二",
        "",
    ],
)
def test_other_words_stay(text):
    assert in_digits(text) == text


def test_what_comes_behind_a_hundred_depends_on_the_language():
    assert in_digits("百五", "ja") == "105"
    assert in_digits("一百五", "zh") == "一百五"


@each_case(
    "answer, gold, right",
    [
        ("twenty-four", "24", 1),
        ("24", "twenty-four", 1),
        ("Twenty four", "twenty-four", 1),
        ("七万円", "70000", 1),
        ("七万", "7", 0),
        ("twenty-four", "42", 0),
        ("two or three", "2", 0),
        ("forty-two", "40", 0),
        ("二十四", "42", 0),
        ("三角形", "3", 0),
        ("one hundred and twenty", "100", 0),
        ("minus five", "5", 0),
        ("a", "1", 0),
        ("15th", "15", 1),
        (r"12^{\mathrm{th}}", "12", 1),
        (r"12^{th}", "12", 1),
        ("15", "15th Day", 1),
        ("16th", "15th Day", 0),
        (r"\infty", r"\text{infinitely many}", 1),
        ("5", r"\text{infinitely many}", 0),
    ],
)
def test_golds_and_answers_in_words_compare_as_numbers(score, answer, gold, right):
    assert score(rf"\boxed{{{answer}}}", gold).value == right
