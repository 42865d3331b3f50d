"""Answers that bound, deny or change the right number are not the number."""

from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.judge import judge_answer

WRONG = [
    "at least 42", "no more than 42", "more than $42$", "up to 42 apples", "over 42",
    r"\text{less than }42", "exceeds $42",
    "42 or more", r"42\text{ or fewer}", "42 apples or less", "42 and above", r"\text{42 at most}", "mindestens 42",
    "au moins 42", "al menos 42", "não é 42", "не менее 42", "больше 42", "至少42", "最多 42 个", "42个以上", "42以下",
    "大于42", "少なくとも42", "42 未満", "최소 42", "42 이상", "42 या अधिक", "ít nhất 42", "setidaknya 42",
    "not 42", "The answer is not 42.", "It isn't 42", "Cannot be 42", "42 is wrong", r"42\text{ is not the answer}",
    "不是42", "42ではない", "42 değil", "minus 42", "negative 42", "负42", "half of 42", "twice 42", "42 squared",
]  # fmt: skip
RIGHT = [
    "42", "The answer is 42.", "42 apples", "42 overs", "about 42", "42 square feet", "a total of 42", "Moreover, 42",
    r"42\text{ more}", "共42个", "noter 42", "42 ordinary pencils", "knots: 42",
]  # fmt: skip


def right(gold, answer):
    return judge_answer(golds(gold, None, 5.0), [answer], None, 5.0).right


@each_case("answer", WRONG)
def test_a_number_that_words_change_is_not_the_number(answer):
    assert not right("42", answer)


@each_case("answer", RIGHT)
def test_other_words_beside_a_number_say_nothing(answer):
    assert right("42", answer)


def test_a_bound_of_the_gold_answer_may_be_left_out_or_said_otherwise_and_not_turned():
    gold = r"42\text{ or more}"
    assert right(gold, "42")
    assert right(gold, "at least 42")
    assert not right(gold, "at most 42")


@each_case("answer", ["minus 42", "negative 42", "负42", "マイナス42"])
def test_a_word_before_digits_is_their_sign(answer):
    assert right("-42", answer)
