"""How often training diverges with each of AMRO's stabilisers off and on (SGCM, table 6 in kind), on a tiny policy.

    python benchmarks/divergence.py [--quick]

Each row trains five seeds at each of five learning rates, so 25 runs, with one noisy judge of three levels for trace
and answer. Diverged is what rewardlab's own detector says with its defaults. The policy is a table and not a language
model, see tiny_reinforcement.py: the counts show what the stabilisers do to GRPO's equations, not what they are worth
for a 7B model.

    worth      of completions at the end, 0 to 1; languages: between the best language and the worst
    flat       share of groups whose totals are all equal, over the whole training
    asked      completions that a run had judged

and of a policy that stays as it begins:

    deviation  how far what advantages are divided by moves between two groups of a language, over its mean
    largest    advantage
    long/short what a token of a group's longest completion counts for one of its shortest
"""

import argparse
import statistics
import time
from collections.abc import Sequence

import numpy as np
from tiny_reinforcement import TRACE_TOKENS, Floats, Run, Setup, train

SEEDS, RATES = range(5), (0.5, 1.0, 1.5, 2.0, 3.0)
"""learning rates from where GRPO alone never diverges to where it always does"""
NOISE = 0.35
STILL_STEPS = 20
ROWS = {
    "GRPO": {},
    "+ length": {"length_aware": True},
    "+ balanced": {"balanced": True},
    "+ std of a subset": {"subset": True},
    "all three": {"length_aware": True, "balanced": True, "subset": True},
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of it: 2 seeds, 2 learning rates, fewer steps")
    quick = parser.parse_args().quick
    seeds, rates, steps = (SEEDS[:2], RATES[1::2], 60) if quick else (SEEDS, RATES, 150)
    print(f"{len(seeds)} seeds x learning rates {', '.join(map(str, rates))}, {steps} steps, judge's noise {NOISE:g}")
    print(f"{'':<18} diverged  of     by rate  worth  languages  flat  asked  deviation  largest  long/short     s")
    for name, on in ROWS.items():
        began = time.perf_counter()
        setups = [Setup(learning_rate=rate, steps=steps, **on) for rate in rates]
        runs = [[train(seed, three_levels, setup) for seed in seeds] for setup in setups]
        still = [train(seed, three_levels, Setup(learning_rate=0.0, steps=STILL_STEPS, **on)) for seed in seeds]
        print(f"{name:<18} {trained(runs)}{measured(still)}  {time.perf_counter() - began:>4.0f}", flush=True)


def three_levels(worth: Floats, rng: np.random.Generator) -> Floats:
    """A judge that scores trace and answer 0, 0.5 or 1, after noise; what does not end is worth nothing."""
    seen = np.stack([worth[:, :2].mean(axis=1), worth[:, 2:4].mean(axis=1)], axis=-1)
    return np.round(2 * np.clip(seen + rng.normal(0, NOISE, seen.shape), 0, 1)) / 2 * worth[:, 4:]


def trained(by_rate: Sequence[Sequence[Run]]) -> str:
    """The measures of all trainings of a row."""
    runs = [run for of_rate in by_rate for run in of_rate]
    diverged = " ".join(str(sum(run.diverged for run in of_rate)) for of_rate in by_rate)
    return (
        f"{sum(run.diverged for run in runs):>8}  {len(runs):>2}  {diverged:>10}"
        f"  {statistics.fmean(statistics.fmean(run.by_language) for run in runs):>5.2f}"
        f"  {statistics.fmean(max(run.by_language) - min(run.by_language) for run in runs):>9.2f}"
        f"  {statistics.fmean(statistics.fmean(run.flat) for run in runs):>4.0%}"
        f"  {statistics.fmean(run.asked for run in runs):>5.0f}"
    )


def measured(runs: Sequence[Run]) -> str:
    """The measures of a policy that stays as it begins."""
    return (
        f"  {statistics.fmean(map(unsteadiness, runs)):>9.2f}"
        f"  {max(max(run.advantages) for run in runs):>7.2f}"
        f"  {statistics.fmean(statistics.fmean(run.token_weights) for run in runs):>10.2f}"
    )


def unsteadiness(run: Run) -> float:
    """How far what the advantages are divided by moves between two groups of a language, over its mean."""
    found, languages = np.array(run.deviations), len(TRACE_TOKENS)
    moves = np.concatenate([np.abs(np.diff(found[one::languages])) for one in range(languages)])
    return float(np.nanmean(moves) / np.nanmean(found))


if __name__ == "__main__":
    main()
