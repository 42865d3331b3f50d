"""An amount in another unit than the gold one's: 5 m is not 5 km, 5000 m is, and 5 alone may be either."""

import pytest
from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.judge import judge_answer
from rewardlab_math.named_units import rate

RIGHT = [
    ("9.8 m/s^2", "9.8 meters per second squared"), (r"1.2 \times 10^{3} \mathrm{~J}", "1.2 kJ"),
    ("5 km", "5"), ("5", "5 km"), ("5 km", r"5\,\mathrm{km}"), (r"5\text{ km}", "5 kilometers"), ("7 years", "7 yrs"),
    ("15 minutes", "15 m"), ("15 meters", "15 m"), ("3 hours", "3 h"), ("64 square feet", r"64\text{ ft}^2"),
    ("50\\%", "50 percent"), ("50\\%", "50 per cent"), ("50\\%", "50 pour cent"), ("50 per cent", "50 por cento"),
    ("50\\%", "0.5"), (r"10\pi\text{ cm}", r"10\pi"),
    (r"10\pi\text{ cm}", r"10\pi\text{ centimeters}"), ("60 km/h", "60 kilometers per hour"), ("2s+3m", "3m+2s"),
    ("x = 5 km", "5 km"), ("5m", "5m"), ("$5", "5 dollars"), ("3 apples", "3 pieces"),
]  # fmt: skip
WRONG = [
    ("5 km", "5 m"), (r"5\text{ km}", r"5\,\mathrm{m}"), ("7 years", "7 months"), ("1 hour", "1 minute"),
    ("15 meters", "15 feet"), ("64 square feet", "64 square meters"), (r"10\pi\text{ cm}", r"10\pi\text{ mm}"),
    ("50\\%", "50 dollars"), ("€5", "5 dollars"), ("5 kg", "5 lb"), ("3 liters", "3 gallons"), ("2 weeks", "2 days"),
    ("x = 5 km", "x = 5 miles"), ("20 minutes", "20 seconds"), ("5 dollars", "5 cents"), ("0.5 kg", "0.5 g"),
    ("10 m/s", "10 km/h"), (r"10\text{ m/s}", r"10\text{ m/s}^2"), ("5 cm^2", "5 cm^3"), ("64 square feet", "64 feet"),
    (r"5\text{ cm}^2", r"5\text{ cm}^3"), ("20 °C", "20 °F"), (r"20^\circ\text{C}", r"20^\circ F"), ("5 Hz", "5 kHz"),
    ("5 N", "5 J"), (r"5\text{ V}", r"5\text{ A}"), ("5 MB", "5 GB"), ("5 kW", "5 W"), ("5 kWh", "5 kW"),
    ("5 rad", r"5^\circ"),
    ("5 K", r"5^\circ C"), ("5 kg", "5 kg/m"), ("5 gallons per minute", "5 gallons"), ("5 rubles", "5 dollars"),
    ("5 people per square mile", "5 people per square kilometer"), ("5 км", "5 м"), ("5 公里", "5 米"),
    ("5 Stunden", "5 Minuten"),
    ("5 heures", "5 minutes"), ("5 平方厘米", "5 立方厘米"), ("5 км/ч", "5 м/с"), ("5 km", "500 m"),
    ("1 hour 30 minutes", "80 minutes"),
    ("5 nm", "0.006 µm"), ("\\$5 per hour", "\\$5 per day"), ("5 mW", "5 MW"), ("5 Quadratmeter", "5 Meter"),
]  # fmt: skip


ENDINGS = [
    " km" + "^9" * 900,
    " km" + " cubed" * 300,
    " m" * 2000,
    " per" * 2000,
    "^2" * 2000,
    r"\text{" * 2000,
    r"\text{ m" + "{" * 2000,
    " 5 m" * 2000,
    r"\frac{m" * 2000,
]


def right(gold, answer):
    return judge_answer(golds(gold, None, 5.0), [answer], None, 5.0).right


@each_case("gold, answer", RIGHT)
def test_an_amount_in_the_gold_unit_or_in_none_is_right(gold, answer):
    assert right(gold, answer)


@each_case("gold, answer", WRONG)
def test_an_amount_in_another_unit_is_wrong(gold, answer):
    assert not right(gold, answer)


@pytest.mark.parametrize("ending", ENDINGS, ids=range(len(ENDINGS)))
def test_no_ending_is_too_long(ending):
    rate("5 m", "5" + ending[:2000])
