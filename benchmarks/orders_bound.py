"""How much the verdicts of a biased judge can tell at most: a bound for the designs of benchmarks/orders.py.

    python benchmarks/orders_bound.py [--size 8] [--groups 300] [--questions 28 36] [--ways balanced "one by one"]

Of all scores those that correlate best with a standard normal truth, on average, are the posterior mean of the truth
about its mean and divided by its length, if everything else is known: what truths are, how sharp the judge is, and its
bias. The posterior is drawn by importance sampling around its mode. Three ways of asking:

- balanced: each pair once, as `orders: balanced` asks it (only where the questions are as many as the pairs)
- in rounds: as `adaptive` asks, each answer once a round, the bias not known
- one by one: each question is chosen by what it adds to the expected correlation, after all verdicts before it, with
  the bias known: more than a reward can have

"by the posterior" is what the posterior itself expects of the correlation, which spreads less over groups.
"""

import argparse
import random
import statistics
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from rewardlab_pairwise.schedule import schedule

SHARPNESS, BIAS, BIAS_SPREAD = 1.5, 2.0, 3.0
DRAWS, FREEDOM = 1000, 7
WAYS = ["balanced", "in rounds", "one by one"]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Posterior:
    """Draws (N, M) of the truths, of the judge's bias (N,), and their weights (N,), which add up to 1."""

    truths: Numbers
    biases: Numbers
    weights: Numbers

    def directions(self) -> Numbers:
        """Return the truths about their mean, divided by their length (N, M)."""
        centred = self.truths - self.truths.mean(axis=1, keepdims=True)
        return centred / np.linalg.norm(centred, axis=1, keepdims=True)

    def gains(self, pairs: Numbers) -> Numbers:
        """Return the correlation that is expected after one more verdict, for the pairs (Q, M)."""
        directions = self.directions()
        wins = share(SHARPNESS * self.truths @ pairs.T + self.biases[:, None])
        won = (wins * self.weights[:, None]).T @ directions
        lost = self.weights @ directions - won
        expected: Numbers = np.linalg.norm(won, axis=1) + np.linalg.norm(lost, axis=1)
        return expected


def share(logits: Numbers) -> Numbers:
    """Return the probabilities of logits."""
    shares: Numbers = 0.5 * (1.0 + np.tanh(0.5 * logits))
    return shares


def posterior(pairs: Numbers, verdicts: Numbers, known: bool, rng: np.random.Generator, draws: int) -> Posterior:
    """Return draws from a t distribution around the mode, weighted by what they are worth."""
    size = pairs.shape[1]
    asked = np.hstack([SHARPNESS * pairs, np.ones((len(pairs), 1))])
    middle = np.append(np.zeros(size), BIAS if known else 0.0)
    precision = np.append(np.ones(size), 1e8 if known else BIAS_SPREAD**-2.0)
    mode = middle.copy()
    for _ in range(30):
        wins = share(asked @ mode)
        curvature = (asked.T * (wins * (1.0 - wins))) @ asked + np.diag(precision)
        step = np.linalg.solve(curvature, asked.T @ (verdicts - wins) - precision * (mode - middle))
        mode = mode + step
        if np.abs(step).max() < 1e-8:
            break
    normal, spread = rng.standard_normal((draws, size + 1)), rng.chisquare(FREEDOM, draws) / FREEDOM
    drawn = mode + (normal / np.sqrt(spread)[:, None]) @ np.linalg.cholesky(np.linalg.inv(curvature)).T
    logits = drawn @ asked.T
    target = (verdicts * logits - np.logaddexp(0.0, logits)).sum(axis=1) - 0.5 * ((drawn - middle) ** 2) @ precision
    source = -0.5 * (FREEDOM + size + 1) * np.log1p((normal**2).sum(axis=1) / spread / FREEDOM)
    weights = np.exp(target - source - (target - source).max())
    return Posterior(drawn[:, :size], drawn[:, size], weights / weights.sum())


def correlations(size: int, questions: int, way: str, seed: int) -> tuple[float, float]:
    """Return the correlation of the best scores with the truth in a group, and what the posterior expects of it."""
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    truth = np.array([chance.gauss(0, 1) for _ in range(size)])
    names = list(permutations(range(size), 2))
    pairs = np.array([np.eye(size)[first] - np.eye(size)[second] for first, second in names])
    verdicts = (rng.random(len(pairs)) < share(SHARPNESS * pairs @ truth + BIAS)).astype(float)
    known, asked = way != "in rounds", list[int]()
    if way == "balanced":
        asks = schedule(str(seed), [str(place) for place in range(size)], "balanced").asks
        asked = [names.index((int(first), int(second))) for first, second in asks]
    while len(asked) < questions:
        left = [at for at in range(len(pairs)) if at not in asked]
        gains = posterior(pairs[asked], verdicts[asked], known, rng, DRAWS).gains(pairs[left])
        taken = set[int]()
        for at in np.argsort(-gains)[: 1 if known else None].tolist():
            if taken.isdisjoint(names[left[at]]):
                taken.update(names[left[at]])
                asked.append(left[at])
    last = posterior(pairs[asked], verdicts[asked], known, rng, 5 * DRAWS)
    best = last.weights @ last.directions()
    return statistics.correlation(best.tolist(), truth.tolist()), float(np.linalg.norm(best))


def main() -> None:
    """Print a line for each way of asking and number of questions."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--groups", type=int, default=300)
    parser.add_argument("--questions", type=int, nargs="+", default=[28, 36])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    given = parser.parse_args()
    print(f"groups of {given.size}, {given.groups} of them")
    print("| asked | questions | correlation | standard error | by the posterior |\n|---|---|---|---|---|")
    pairs = given.size * (given.size - 1) // 2
    for way in given.ways:
        for questions in [pairs] if way == "balanced" else given.questions:
            both = [correlations(given.size, questions, way, seed) for seed in range(given.groups)]
            seen, expected = zip(*both, strict=True)
            error = statistics.stdev(seen) / len(seen) ** 0.5
            cells = f"{statistics.fmean(seen):.3f} | {error:.3f} | {statistics.fmean(expected):.3f}"
            print(f"| {way} | {questions} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
