"""Reward models compared on the same noisy scripted judge (SGCM, table 5 in kind): scalar, free-form, checklist.

    python benchmarks/reward_models.py [--quick]

All three read the same completions, whose worth is known in five dimensions, and each number that is asked for comes
with the same noise; the truth is the mean of the dimensions. What differs is how the numbers are asked for:

    scalar      one number for the whole completion, continuous
    free-form   one verdict in words: a scale of its own in each reply, rounded to tenths, a fifth of the replies
                unreadable (they count as the group's mean: a failure is not a low score)
    checklist   a number for each dimension on the levels 0, 0.5, 1; their mean, smoothed as checklist/answer does

A checklist asks five numbers, so independent noise averages out by itself. `halo` is the share of the noise's variance
that all numbers of one reply have in common; with a halo of 1 nothing averages out, and what is left to the checklist
is its structure. Variance is that of repeated scores of one completion. Runs train the policy of tiny_reinforcement.py
without stabilisers: collapsed or exploded by rewardlab's detector, unstable where it lost a fifth of its best reward at
some time after it had it, and stable otherwise.
"""

import argparse
import statistics
from collections.abc import Callable, Sequence

import numpy as np
from rewardlab_checklist.smoothing import Smoothing, smoothed
from scipy.stats import kendalltau
from tiny_reinforcement import GROUP, TRACE_TOKENS, Floats, Policy, Run, Setup, sample, train, worth

WEIGHTS = np.full(5, 0.2)
LEVELS = np.array([0.0, 0.5, 1.0])
NOISES, HALOS = (0.2, 0.4), (0.0, 0.5, 1.0)
RATES = (2.0, 3.0, 4.0)
"""where trainings begin to diverge, see divergence.py"""
UNREADABLE, SCALE = 0.2, 0.3
LOST = 1 / 5
SMOOTH_STEPS = 10


def scalar(truth: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
    return np.clip(truth @ WEIGHTS + noise[:, 0], 0, 1)


def free_form(truth: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
    scale = rng.uniform(1 - SCALE, 1 + SCALE, len(truth))
    scores = np.round(10 * np.clip(scale * (truth @ WEIGHTS) + noise[:, 0], 0, 1)) / 10
    return np.where(rng.random(len(truth)) < UNREADABLE, np.nan, scores)


def checklist(truth: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
    seen = np.clip(truth + noise, 0, 1)
    levels = LEVELS[np.abs(seen[..., None] - LEVELS).argmin(axis=-1)]
    shares, smoothing = WEIGHTS.tolist(), Smoothing()
    return np.array([smoothed(scores, shares, smoothing) for scores in levels.tolist()])


MODELS = {"scalar": scalar, "free-form": free_form, "checklist": checklist}


class Judge:
    """One of the models with its noise, as a judge of the training: the same score for trace and answer."""

    def __init__(self, model: Callable[..., Floats], noise: float, halo: float):
        self._model, self._noise, self._halo = model, noise, halo

    def scores(self, truth: Floats, rng: np.random.Generator) -> Floats:
        """Return scores (n,), NaN where a reply could not be read."""
        shared, own = rng.normal(0, 1, (len(truth), 1)), rng.normal(0, 1, truth.shape)
        noise = self._noise * (np.sqrt(self._halo) * shared + np.sqrt(1 - self._halo) * own)
        return self._model(truth, noise, rng)

    def __call__(self, truth: Floats, rng: np.random.Generator) -> Floats:
        found = self.scores(truth, rng)
        mean = np.nanmean(found) if not np.isnan(found).all() else 0.0
        return np.repeat(np.where(np.isnan(found), mean, found)[:, None], 2, axis=1)


def measures(judge: Judge, seed: int, groups: int) -> tuple[float, float, float]:
    """Return the variance of repeated scores, Kendall's tau with the truth in groups, and the share of flat groups."""
    rng, policy = np.random.default_rng(seed), Policy(0.0).probabilities()
    variances, agreement, flat = [], [], 0
    for number in range(groups):
        language = number % len(TRACE_TOKENS)
        truth = worth(sample(policy, language, GROUP, rng), language)
        repeated = np.stack([judge.scores(truth, rng) for _ in range(8)])
        variances.append(float(np.nanmean(np.nanvar(repeated, axis=0))))
        scores = judge(truth, rng)[:, 0]
        flat += bool(np.ptp(scores) == 0)
        tau = kendalltau(scores, truth @ WEIGHTS).statistic if np.ptp(scores) > 0 else 0.0
        agreement.append(0.0 if np.isnan(tau) else float(tau))
    return statistics.fmean(variances), statistics.fmean(agreement), flat / groups


def verdict(run: Run) -> str:
    """Return how a training went: collapsed, exploded, unstable or stable."""
    if run.signs:
        return "collapsed" if any(sign.alarm.kind == "collapsed" for sign in run.signs) else "exploded"
    means = [statistics.fmean(run.totals[at : at + SMOOTH_STEPS]) for at in range(0, len(run.totals), SMOOTH_STEPS)]
    best = 0.0
    for mean in means:
        best = max(best, mean)
        if mean < (1 - LOST) * best:
            return "unstable"
    return "stable"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="2 seeds, one noise, fewer groups")
    quick = parser.parse_args().quick
    seeds, noises, groups = (range(2), NOISES[1:], 100) if quick else (range(5), NOISES, 400)
    print(f"{groups} groups of {GROUP}; trainings: {len(seeds)} seeds x learning rates {', '.join(map(str, RATES))}")
    print("noise  halo  reward      variance   tau  flat  collapsed exploded unstable stable  worth at the end")
    for noise in noises:
        for halo in HALOS:
            for name, model in MODELS.items():
                print(f"{noise:>5}  {halo:>4}  {line(name, Judge(model, noise, halo), seeds, groups)}", flush=True)


def line(name: str, judge: Judge, seeds: Sequence[int], groups: int) -> str:
    """One row of the table."""
    variance, tau, flat = measures(judge, 0, groups)
    runs = [train(seed, judge, Setup(learning_rate=rate)) for rate in RATES for seed in seeds]
    counts = [sum(verdict(run) == kind for run in runs) for kind in ("collapsed", "exploded", "unstable", "stable")]
    end = statistics.fmean(statistics.fmean(run.by_language) for run in runs)
    numbers = f"{counts[0]:>9} {counts[1]:>8} {counts[2]:>8} {counts[3]:>6}"
    return f"{name:<10}  {variance:>8.3f}  {tau:>4.2f}  {flat:>4.0%}  {numbers}  {end:>16.2f}"


if __name__ == "__main__":
    main()
