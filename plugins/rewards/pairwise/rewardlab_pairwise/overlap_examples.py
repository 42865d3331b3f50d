"""Examples for the laws of the judge pairwise/overlap: comparisons."""

from rewardlab import Ask
from rewardlab.laws import JudgeExample

QUERY = "Of twelve apples four are eaten. How many are left?"
REFERENCE = "Four of the twelve apples are eaten, so 12 - 4 = 8 are left. \\boxed{8}"
NEAR = "Twelve less four is eight: 12 - 4 = 8. \\boxed{8}"
FAR = "There are 16 apples. \\boxed{16}"


def examples_of_overlap() -> list[JudgeExample]:
    """Return examples with the nearer answer first, last, and with two that are equally near; for both `compare`."""
    asks = [_ask("", REFERENCE), _ask(REFERENCE, ""), _ask(NEAR, FAR), _ask(NEAR, NEAR)]
    replies = [
        "chrF against the correct solution: A 0.00, B 100.00. \\boxed{B}",
        "chrF against the correct solution: A 100.00, B 0.00. \\boxed{A}",
    ]
    return [
        JudgeExample(
            title=compare, options={"compare": compare}, asks=asks, says=replies, other_options=[{"compare": other}]
        )
        for compare, other in (("text", "maths"), ("maths", "text"))
    ]


def _ask(a: str, b: str) -> Ask:
    return Ask(parts={"query": QUERY, "a": a, "b": b, "reference": REFERENCE})
