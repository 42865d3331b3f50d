"""How often a better subscore lowers a checklist's reward, by the family of its smoothing (docs/amro.md).

    python benchmarks/smoothing.py [--cases 40000]

Each case is a checklist of 2 to 8 dimensions with random weights (every third with equal ones), random scores, and a
better score for one dimension; levels 0, .5 and 1 in half of the cases, any number in the others. `plain` takes the
deviation without the weights, as a reader of the paper might. The last column is what an answer keeps that fails one
of five dimensions.
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass

from rewardlab_checklist.smoothing import Smoothing, smoothed, weighted_deviation, weighted_mean

FAMILIES = {
    "gaussian, beta 2": Smoothing(),
    "gaussian, beta 4": Smoothing(beta=4),
    "rational, beta 2": Smoothing(family="rational"),
    "exponential, beta 1": Smoothing(family="exponential", beta=1),
    "linear, widest .5": Smoothing(family="linear"),
    "linear, widest 1": Smoothing(family="linear", widest=1),
    "none": Smoothing(family="none"),
}
LEVELS = (0.0, 0.5, 1.0)
ONE_OF_FIVE = [1.0] * 4 + [0.0]
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Case:
    """Scores by dimension before and after one got better, and the dimensions' shares."""

    before: list[float]
    after: list[float]
    shares: list[float]


def cases(count: int, seed: int = 0) -> Iterator[Case]:
    """Yield the same cases for every family."""
    rng = random.Random(seed)
    for number in range(count):
        size = rng.randint(2, 8)
        weights = [1.0] * size if number % 3 == 0 else [rng.uniform(0.02, 1) for _ in range(size)]
        scores = [rng.choice(LEVELS) if number % 2 else rng.random() for _ in range(size)]
        at = rng.randrange(size)
        better = 1.0 if number % 2 else rng.uniform(scores[at], 1)
        yield Case(scores, [*scores[:at], better, *scores[at + 1 :]], [one / sum(weights) for one in weights])


def plain(scores: list[float], shares: list[float], smoothing: Smoothing) -> float:
    """Return the reward with the deviation of equal weights, whatever those of the mean."""
    deviation = weighted_deviation(scores, [1 / len(scores)] * len(scores))
    return smoothing.factor(deviation) * weighted_mean(scores, shares)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=40_000)
    tried = list(cases(parser.parse_args().cases))
    print(f"{len(tried):,} cases; rewards that a better subscore lowers, and the most that it takes")
    print(f"{'family':<22}{'weighted':>10}{'plain':>8}{'most':>8}{'keeps':>8}")
    for name, smoothing in FAMILIES.items():
        losses = {
            how: [how(one.before, one.shares, smoothing) - how(one.after, one.shares, smoothing) for one in tried]
            for how in (smoothed, plain)
        }
        weighted, unweighted = (sum(loss > TOLERANCE for loss in found) / len(tried) for found in losses.values())
        kept = smoothed(ONE_OF_FIVE, [0.2] * 5, smoothing) / 0.8
        print(f"{name:<22}{weighted:>10.1%}{unweighted:>8.1%}{max(0.0, *losses[smoothed]):>8.3f}{kept:>8.0%}")


if __name__ == "__main__":
    main()
