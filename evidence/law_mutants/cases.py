"""Samples with completions whose rank is known: what the author of such a component would try it with."""

from rewardlab import Sample
from rewardlab.laws import RewardExample

PROMPT = ({"role": "user", "content": "Ann has 3 red pens and 4 blue ones. How many pens does she have?"},)
SUM = Sample(id="pens", prompt=PROMPT, fields={"answer": "7", "language": "en"})
RIGHT = (
    "3 + 4 = 7, so the answer is \\boxed{7}.",
    "<think>First I had \\boxed{8}, but 3 + 4 = 7.</think>She has \\boxed{7} pens.",
)
WRONG = ("3 + 4 = 8, so the answer is \\boxed{8}.", "She has many pens.", "First \\boxed{7}, no, \\boxed{12}.")


def answers() -> list[RewardExample]:
    """A sum, with its answer in the last box."""
    return [RewardExample(title="a sum", sample=SUM, good=RIGHT, bad=WRONG)]


def nearness() -> list[RewardExample]:
    """A sum whose answers get nearer and nearer."""
    ladder = [f"I think it is \\boxed{{{number}}}." for number in (900, 50, 33, 27, 12, 9, 8, 7)]
    return [RewardExample(title="nearer and nearer", sample=SUM, good=ladder[-1:], bad=ladder[:2], ladder=ladder)]
