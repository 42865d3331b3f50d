"""An amount in another unit than the gold one's: 5 m is not 5 km, and 5 alone may be either."""

from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.judge import judge_answer

RIGHT = [
    ("5 km", "5"), ("5", "5 km"), ("5 km", r"5\,\mathrm{km}"), (r"5\text{ km}", "5 kilometers"), ("7 years", "7 yrs"),
    ("15 minutes", "15 m"), ("15 meters", "15 m"), ("3 hours", "3 h"), ("64 square feet", r"64\text{ ft}^2"),
    ("64 square feet", "64 feet"), ("50\\%", "50 percent"), ("50\\%", "0.5"), (r"10\pi\text{ cm}", r"10\pi"),
    (r"10\pi\text{ cm}", r"10\pi\text{ centimeters}"), ("60 km/h", "60 kilometers per hour"), ("2s+3m", "3m+2s"),
    ("x = 5 km", "5 km"), ("5m", "5m"), ("$5", "5 dollars"), ("3 apples", "3 pieces"),
]  # fmt: skip
WRONG = [
    ("5 km", "5 m"), (r"5\text{ km}", r"5\,\mathrm{m}"), ("7 years", "7 months"), ("1 hour", "1 minute"),
    ("15 meters", "15 feet"), ("64 square feet", "64 square meters"), (r"10\pi\text{ cm}", r"10\pi\text{ mm}"),
    ("50\\%", "50 dollars"), ("€5", "5 dollars"), ("5 kg", "5 lb"), ("3 liters", "3 gallons"), ("2 weeks", "2 days"),
    ("x = 5 km", "x = 5 miles"), ("20 minutes", "20 seconds"), ("5 dollars", "5 cents"), ("0.5 kg", "0.5 g"),
]  # fmt: skip


def right(gold, answer):
    return judge_answer(golds(gold, None, 5.0), [answer], None, 5.0).right


@each_case("gold, answer", RIGHT)
def test_an_amount_in_the_gold_unit_or_in_none_is_right(gold, answer):
    assert right(gold, answer)


@each_case("gold, answer", WRONG)
def test_an_amount_in_another_unit_is_wrong(gold, answer):
    assert not right(gold, answer)
