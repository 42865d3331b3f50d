"""Examples for the laws of the reward: a helpful answer, and answers that help nobody (rewardlab.laws)."""

from rewardlab import Sample
from rewardlab.laws import RewardExample

BOOKS = Sample(
    id="books",
    prompt=({"role": "user", "content": "48 books stand on a shelf, and half of them are lent. How many are left?"},),
)
GOOD = [
    "Half of 48 is 24, so 24 books are left on the shelf.",
    "<think>48 / 2 = 24</think>There are 24 books left, because half of 48 is 24.",
]
BAD = [
    "",
    "I do not care about your books.",
    "<think>Half of 48 is 24, so 24 are left.</think>Go away, this is boring.",
]


def score() -> list[RewardExample]:
    """Return an example that needs the user's `model`."""
    return [RewardExample(title="response", sample=BOOKS, good=GOOD, bad=BAD, needs=["model"])]
