"""How often `compare --truth` errs, sees what it says it would see, and saves prompts by stopping.

    python benchmarks/reward_comparisons.py [--experiments 2000] [--only PATTERN]

Two rewards know a truth with noise of their own, of a spread that differs from prompt to prompt; the completions of
a share of the prompts are all right or all wrong. A pool of prompts is scored once, and stands for all prompts that
there are, so that the true difference is known; each experiment draws its prompts from it. `held` is how often the
interval holds that difference (95%), `called` how often one reward is said to teach more (at most 5% where there is no
difference), `by looks` the same of five looks, `none large` how often a look said that no difference is as large as
what would matter, and `read` the share of the prompts that the looks read.
"""

import re
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from rewardlab_measure.compare.gain import Gains, GroupGain, group_gain
from rewardlab_measure.compare.looks import looks_at
from rewardlab_measure.compare.measures import SideRewards
from rewardlab_measure.compare.verdict import TaughtTruth, taught

POOL = 4_000
"""problems that there are"""
CALLS = ("A teaches more", "B teaches more")
Problem = Sequence[GroupGain]
"""the gains of its rows, one a language"""


@dataclass(frozen=True, kw_only=True)
class RewardWorld:
    """Two rewards and problems.

    noise: of A and of B, beside a truth of 0 or 1. settled: the share of prompts whose completions are all alike.
    languages: rows that each problem has, which share most of what the rewards get wrong.
    """

    noise: tuple[float, float] = (1.0, 1.0)
    group: int = 8
    settled: float = 0.4
    languages: int = 1

    def pool(self, level: bool) -> list[Problem]:
        """Return all problems. level: so changed that neither teaches more on average.

        Each stands there twice, once with its sides changed over; if one side knows more, what B teaches more is taken
        from it instead, in proportion to what there is to teach, so that differences stay skewed.
        """
        problems = [self._problem(seed) for seed in range(POOL)]
        if not level:
            return problems
        if self.noise[0] == self.noise[1]:
            return problems + [[replace(gain, a=gain.b, b=gain.a) for gain in problem] for problem in problems]
        most = sum(gain.at_most for problem in problems for gain in problem) / sum(map(len, problems))
        more = true_difference(problems) / most
        return [[replace(gain, b=gain.b - more * gain.at_most) for gain in problem] for problem in problems]

    def _problem(self, seed: int) -> Problem:
        gains = [self._gain(Random(seed), Random(f"{seed}/{language}")) for language in range(self.languages)]
        return [gain for gain in gains if gain is not None]

    def _gain(self, shared: Random, own: Random) -> GroupGain | None:
        chance = shared.choice([0.0, 1.0]) if shared.random() < self.settled else shared.random()
        truth = [float(shared.random() < chance) for _ in range(self.group)]
        sides = []
        for noise in self.noise:
            spread = noise * shared.choice([0.3, 1.0, 2.0])
            totals = [value + spread * (shared.gauss(0, 0.9) + own.gauss(0, 0.44)) for value in truth]
            sides.append(SideRewards(total=totals, shaped=totals))
        return group_gain(sides[0], sides[1], truth)


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """A row of the benchmark.

    problems: that an experiment draws; None for as many as are needed for the true difference with a `power`, `times`
    that. level: without a true difference. at_bound: whether the true difference is what would matter, so that it is an
    error to say that none is as large. apart: whether rows stand a language at a time.
    """

    name: str
    world: RewardWorld
    problems: int | None = None
    power: float = 0.8
    times: float = 1.0
    level: bool = False
    detect: float | None = None
    at_bound: bool = False
    apart: bool = False

    def measure(self, experiments: int) -> "Outcome":
        """Return how some comparisons ended, the same for the same number."""
        pool = self.world.pool(self.level)
        difference = true_difference(pool)
        problems = self.problems
        if problems is None:
            needed = taught(gains_of(pool, self.apart)).prompts_needed(abs(difference), self.power) or 0
            problems = round(self.times * needed / self.world.languages)
        outcome = Outcome(prompts=problems * self.world.languages, difference=difference)
        for number in range(experiments):
            drawn = Random(f"{self.name}/{number}").choices(pool, k=problems)
            outcome.add(drawn, self.apart, abs(difference) if self.at_bound else self.detect)
        return outcome


def true_difference(pool: Sequence[Problem]) -> float:
    """Return B's mean gain less A's over all prompts."""
    gains = [gain for problem in pool for gain in problem]
    return sum(gain.b - gain.a for gain in gains) / len(gains)


def gains_of(problems: Sequence[Problem], apart: bool, rows: int | None = None) -> Gains:
    """Return the gains of a comparison of these problems, or of its first rows."""
    once = [(number, place, gain) for number, problem in enumerate(problems) for place, gain in enumerate(problem)]
    if apart:
        once.sort(key=lambda row: row[1])
    gains = Gains()
    for number, _, gain in once[:rows]:
        gains.add(gain, [number])
    return gains


@dataclass(kw_only=True)
class Outcome:
    """What experiments ended in: `called` at the end of all rows, and by looks on the way."""

    prompts: int
    difference: float
    experiments: int = 0
    called: int = 0
    held: int = 0
    called_by_looks: int = 0
    none_large_by_looks: int = 0
    read: int = 0

    def add(self, problems: Sequence[Problem], apart: bool, detect: float | None) -> None:
        """Count a comparison, read to its end and by looks."""
        self.experiments += 1
        whole = taught(gains_of(problems, apart))
        self.called += whole.verdict() in CALLS
        self.held += _holds(whole, self.difference)
        for look in looks_at(self.prompts):
            truth = taught(gains_of(problems, apart, look.rows), look.level)
            if truth.is_decided(detect) or look.rows == self.prompts:
                self.called_by_looks += truth.verdict(detect) in CALLS
                self.none_large_by_looks += truth.verdict(detect) == "no difference that large"
                self.read += look.rows
                return

    def line(self) -> str:
        """Return the shares as a line."""
        shares = [self.held, self.called, self.called_by_looks, self.none_large_by_looks, self.read / self.prompts]
        return f"{self.prompts:7,} {self.difference:+10.4f} " + " ".join(
            f"{n / self.experiments:10.1%}" for n in shares
        )


def _holds(truth: TaughtTruth, difference: float) -> bool:
    return truth.low is not None and truth.high is not None and truth.low <= difference <= truth.high


EVEN, BETTER, CLOSE = RewardWorld(), RewardWorld(noise=(1.0, 0.6)), RewardWorld(noise=(1.0, 0.8))
ROWS = [
    *(ComparisonRow(name=f"no difference, {n} prompts", world=EVEN, problems=n, level=True) for n in (10, 20, 50, 200)),
    ComparisonRow(name="no difference, skewed, 50 prompts", world=BETTER, problems=50, level=True),
    ComparisonRow(
        name="no difference, 50 prompts, 90% settled", world=replace(EVEN, settled=0.9), problems=50, level=True
    ),
    ComparisonRow(name="no difference, groups of 2", world=replace(EVEN, group=2), problems=200, level=True),
    ComparisonRow(
        name="no difference, 40 problems x 5 languages", world=replace(EVEN, languages=5), problems=40, level=True
    ),
    ComparisonRow(
        name="the same, a language at a time",
        world=replace(EVEN, languages=5),
        problems=40,
        level=True,
        apart=True,
    ),
    ComparisonRow(name="no difference, 0.05 would matter", world=EVEN, problems=200, level=True, detect=0.05),
    ComparisonRow(name="the difference is what would matter", world=BETTER, problems=400, at_bound=True),
    ComparisonRow(name="needed for a power of 80%", world=BETTER),
    ComparisonRow(name="needed for a power of 90%", world=BETTER, power=0.9),
    ComparisonRow(name="needed for 80%, a smaller difference", world=CLOSE),
    ComparisonRow(name="needed for 80%, 5 languages", world=replace(BETTER, languages=5)),
    ComparisonRow(name="twice as many as needed for 80%", world=BETTER, times=2),
    ComparisonRow(name="five times as many", world=BETTER, times=5),
]


def main() -> None:
    """Print a line for each row."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--experiments", type=int, default=2000)
    parser.add_argument("--only", default="", help="rows whose names have this pattern")
    options = parser.parse_args()
    titles = ["difference", "held", "called", "by looks", "none large", "read"]
    print(f"{'':42} {'prompts':>7} " + " ".join(f"{title:>10}" for title in titles))
    for row in ROWS:
        if re.search(options.only, row.name):
            print(f"{row.name:42} {row.measure(options.experiments).line()}", flush=True)


if __name__ == "__main__":
    main()
