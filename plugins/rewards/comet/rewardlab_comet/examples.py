"""Examples for the laws of comet/answer: answers that say what a reference says, and others (rewardlab.laws)."""

from rewardlab import Sample
from rewardlab.laws import RewardExample

BOOKS = Sample(
    id="books",
    prompt=({"role": "user", "content": "Im Regal stehen 48 Bücher. Die Hälfte wird verliehen. Wie viele bleiben?"},),
    fields={
        "reference": "<think>Half of 48 is 24.</think><answer>There are 24 books left.</answer>",
        "language": "de",
    },
)
GOOD = ["<think>48 / 2</think><answer>Es sind noch 24 Bücher übrig.</answer>"]
BAD = [
    "Es sind noch 24 Bücher übrig.",
    "<think>48 / 2</think><answer></answer>",
    "<think>48 / 2</think><answer>Die Katze schläft seit gestern auf dem Dach.</answer>",
]


def answer() -> list[RewardExample]:
    """Return examples that need the user's `checkpoint`, and often an `environment`."""
    exact = {"exact_match": True}
    return [
        RewardExample(title="answer", sample=BOOKS, good=GOOD, bad=BAD, needs=["checkpoint"]),
        RewardExample(title="exact_match", sample=BOOKS, good=GOOD, bad=BAD, options=exact, needs=["checkpoint"]),
    ]
