"""Units after formulas."""

from helpers.each_case import each_case
from rewardlab_math.units import without_unit


@each_case(
    "formula, bare",
    [
        (r"10\pi \text{ cm}^2", r"10\pi"),
        (r"10\pi inches", r"10\pi"),
        (r"2\sqrt{3} cm", r"2\sqrt{3}"),
        (r"2\sqrt{3}\text{ square inches}", r"2\sqrt{3}"),
        (r"864 \mbox{ inches}^2", "864"),
        ("x = 5 meters per second", "x = 5"),
    ],
)
def test_the_unit_goes(formula, bare):
    assert without_unit(formula) == bare


@each_case("formula", ["2 ab", "2x", r"5 \sin x", r"1 \text{ or } 3", "x", r"\text{A} + \text{B}", ""])
def test_what_may_be_part_of_the_formula_stays(formula):
    assert without_unit(formula) == formula
