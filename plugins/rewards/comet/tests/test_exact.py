"""Texts that count as the same answer, and texts that do not."""

from helpers.each_case import each_case
from rewardlab_comet.exact import same_answer


@each_case(
    "prediction, reference",
    [("(B)", "(b)"), ("٨", "8"), ("８.", "8"), ("८", "8"), ("$37.50", " $37.50. "), ("8 。", "8"), ("x\n y", "X y")],
)
def test_equal_after_normalisation(prediction, reference):
    assert same_answer(prediction, reference)


@each_case(
    "prediction, reference", [("8", "9"), ("-8", "8"), ("8.5", "85"), ("", ""), (".", "."), ("12", "1 2"), ("B", "(B)")]
)
def test_different_after_normalisation(prediction, reference):
    assert not same_answer(prediction, reference)
