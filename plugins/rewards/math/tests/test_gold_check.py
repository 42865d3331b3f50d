"""What `rewardlab check` says of right answers."""

from helpers.each_case import each_case
from rewardlab import Sample
from rewardlab_math import gold_check
from rewardlab_math.options import AccuracyOptions


@each_case(
    "gold, doubt",
    [
        ("42", None),
        ("Evelyn", None),
        ("New York", None),
        ("twenty-four", None),
        (r"n \equiv 1 \pmod 3", None),
        (r"1, 2, \ldots, n", None),
        ("Answer: 42", gold_check.WORDED),
        ("<answer>42</answer>", gold_check.WORDED),
        ("The final answer is $42$.", gold_check.WORDED),
        ("Kafelnikov served in the first game", gold_check.PROSE),
        ("The sum is less than zero.", gold_check.PROSE),
        (r"\frac{1}{", gold_check.BY_WRITING),
        ("...", gold_check.BLANK),
        ("None", gold_check.NO_VALUE),
        (" nan ", gold_check.NO_VALUE),
        ("#### null", gold_check.NO_VALUE),
        (["2", "N/A"], gold_check.NO_VALUE),
        ("none of them", None),
        ("Nana", None),
    ],
)
def test_each_doubt_has_its_name(gold, doubt):
    found = gold_check.doubt(AccuracyOptions(), Sample(fields={"answer": gold}))
    assert (found and found[0]) == doubt
