"""What the orders of comparison are worth: correlation of win rates with the truth, under a biased judge.

    python benchmarks/orders.py

Simulated tournaments of 8 answers through the real schedule and tally of pairwise/win_rate. An answer's truth is
standard normal; the judge prefers by the difference of truths plus a bias towards whichever stands first, in logits.
"""

import math
import random
import statistics

from rewardlab_pairwise.schedule import schedule
from rewardlab_pairwise.tally import PairVerdict, tally

GROUPS, SIZE = 2000, 8
BIAS, SHARPNESS = 2.0, 1.5
WAYS = {
    "both": ("both", "all"),
    "balanced": ("balanced", "all"),
    "a_only": ("a_only", "all"),
    "both, opponents 4": ("both", 4),
    "balanced, opponents 4": ("balanced", 4),
    "one fixed order": (None, "all"),
}


def main() -> None:
    print(f"{GROUPS} groups of {SIZE}, bias of {BIAS:g} logits, {SHARPNESS:g} logits a unit of truth")
    for name, (orders, opponents) in WAYS.items():
        rng = random.Random(0)
        found = [tournament(rng, str(number), orders, opponents) for number in range(GROUPS)]
        calls = found[0][0]
        print(f"  {name:<22} {calls:>3} questions  correlation {statistics.fmean(r for _, r in found):.2f}")


def tournament(rng: random.Random, group: str, orders: str | None, opponents: str | int) -> tuple[int, float]:
    """(questions, Pearson's correlation of win rates and truths in one group)."""
    truth = {f"{group}/{answer}": rng.gauss(0, 1) for answer in range(SIZE)}
    texts = list(truth)
    planned = schedule(group, texts, orders or "both", opponents)
    asks = planned.asks if orders else [(a, b) for i, a in enumerate(texts) for b in texts[i + 1 :]]
    verdicts = {}
    for first, second in asks:
        logit = SHARPNESS * (truth[first] - truth[second]) + BIAS
        wins = rng.random() < 1 / (1 + math.exp(-logit))
        verdicts[first, second] = PairVerdict(verdict="A" if wins else "B", first_wins=float(wins))
    scores = tally(planned, verdicts, only_first=orders == "a_only")
    values = [scores[text].value for text in texts]
    if len(set(values)) == 1:
        return len(asks), 0.0
    return len(asks), statistics.correlation(values, [truth[text] for text in texts])


if __name__ == "__main__":
    main()
