"""How often training diverges with each of AMRO's stabilisers off and on (SGCM, table 6 in kind), on a tiny policy.

    python benchmarks/divergence.py [--quick]

Each row trains five seeds at each of three learning rates, so 15 runs, with one noisy judge of three levels for trace
and answer. Diverged is what rewardlab's own detector says with its defaults. The policy is a table and not a language
model, see tiny_reinforcement.py: the counts show what the stabilisers do to GRPO's equations, not what they are worth
for a 7B model.
"""

import argparse
import statistics
import time
from collections.abc import Sequence

import numpy as np
from tiny_reinforcement import Floats, Run, Setup, train

SEEDS, RATES = range(5), (0.03, 0.1, 0.3)
NOISE = 0.35
ROWS = {
    "GRPO": {},
    "+ length": {"length_aware": True},
    "+ balanced": {"balanced": True},
    "+ std of a subset": {"subset": True},
    "all three": {"length_aware": True, "balanced": True, "subset": True},
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a fifth of it: 2 seeds, 2 learning rates, fewer steps")
    quick = parser.parse_args().quick
    seeds, rates, steps = (SEEDS[:2], RATES[1:], 60) if quick else (SEEDS, RATES, 150)
    print(f"{len(seeds)} seeds x learning rates {', '.join(map(str, rates))}, {steps} steps, judge's noise {NOISE:g}")
    print(f"{'':<18} diverged  of     by rate  worth  flat  deviation  largest  long/short  languages  asked     s")
    for name, on in ROWS.items():
        began = time.perf_counter()
        runs = {
            rate: [train(seed, three_levels, Setup(learning_rate=rate, steps=steps, **on)) for seed in seeds]
            for rate in rates
        }
        print(f"{name:<18} {line(list(runs.values()))}  {time.perf_counter() - began:>4.0f}", flush=True)


def three_levels(worth: Floats, rng: np.random.Generator) -> Floats:
    """A judge that scores trace and answer 0, 0.5 or 1, after noise; what does not end is worth nothing."""
    seen = np.stack([worth[:, :2].mean(axis=1), worth[:, 2:4].mean(axis=1)], axis=-1)
    return np.round(2 * np.clip(seen + rng.normal(0, NOISE, seen.shape), 0, 1)) / 2 * worth[:, 4:]


def line(by_rate: Sequence[Sequence[Run]]) -> str:
    """The measures of all runs of a row."""
    runs = [run for of_rate in by_rate for run in of_rate]
    diverged = " ".join(str(sum(run.diverged for run in of_rate)) for of_rate in by_rate)
    return (
        f"{sum(run.diverged for run in runs):>8}  {len(runs):>2}  {diverged:>10}"
        f"  {statistics.fmean(statistics.fmean(run.by_language) for run in runs):>5.2f}"
        f"  {statistics.fmean(statistics.fmean(run.flat) for run in runs):>4.0%}"
        f"  {statistics.fmean(map(unsteadiness, runs)):>9.2f}"
        f"  {statistics.fmean(max(run.advantages) for run in runs):>7.2f}"
        f"  {statistics.fmean(statistics.fmean(run.token_weights) for run in runs):>10.2f}"
        f"  {statistics.fmean(max(run.by_language) - min(run.by_language) for run in runs):>9.2f}"
        f"  {statistics.fmean(run.asked for run in runs):>5.0f}"
    )


def unsteadiness(run: Run) -> float:
    """How much what the advantages are divided by moves from a step to the next of a language, over its mean."""
    moves, values = [], [value for _, value in run.deviations]
    for language in {language for language, _ in run.deviations}:
        found = [value for one, value in run.deviations if one == language]
        moves += [abs(later - earlier) for earlier, later in zip(found, found[1:], strict=False)]
    return statistics.fmean(moves) / statistics.fmean(values) if moves else 0.0


if __name__ == "__main__":
    main()
