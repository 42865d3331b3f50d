"""How often `rewardlab judge --biases` names a planted bias, and how often one of a judge that has none.

    python benchmarks/judge_biases.py [--experiments 400] [--rows 25 50 100 200 400 800]

A simulated judge compares answers whose quality differs by a normal number, in both orders and with an error of its
own in each question, or scores them from 1 to 5. A bias adds to what it thinks of the rewritten answer, or of the one
that stands first, or takes from the better answer in one of three languages (or adds to scores there), by 0.25, 0.5 or
1 standard deviations of quality. `change` is what the command reports of it. Beside it stands for each number of rows
the share of experiments that name it; of a judge without a bias that of experiments that name any, at most 5%.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from rewardlab_measure.judge_biases.measures import BIASES, LANGUAGE, Bias, Change, biases, language_change

REWRITTEN = tuple(name for name in BIASES if name != "position")
LANGUAGES = ("de", "en", "sw")
ERROR = 0.5
"""of the judge in a question, in standard deviations of quality"""
STRENGTHS = (0.25, 0.5, 1.0)
CASES = {"comparisons": ("position", "length", f"{LANGUAGE}sw"), "scores": ("length", f"{LANGUAGE}sw")}
"""rewrites are alike to a simulated judge, so that one of them stands for all"""


@dataclass(frozen=True, kw_only=True)
class SimulatedJudge:
    """A judge with one bias, or none ("")."""

    compares: bool
    bias: str = ""
    strength: float = 0.0

    def experiment(self, rows: int, random: Random) -> list[Bias]:
        """Return the biases that so many problems show, each in three languages, whose rewrites count by problem."""
        changes: dict[str, list[Change]] = {}
        for problem in range(rows):
            lead, better = random.gauss(0, 1), random.random() < 0.5
            first_won: list[float] = []
            before = self._value("", "", lead, random, first_won)
            for name in REWRITTEN:
                changes.setdefault(name, []).append(Change(self._value(name, "", lead, random) - before, problem))
            if first_won:
                changes.setdefault("position", []).append(Change(fmean(first_won), problem))
            lead = abs(lead) if better else -abs(lead)
            values = {name: self._value("", name, abs(lead), random) for name in LANGUAGES}
            for name in LANGUAGES:
                changes.setdefault(f"{LANGUAGE}{name}", []).append(language_change(values, name, problem))
        return biases({name: changes[name] for name in changes if changes[name]})

    def _value(
        self, rewrite: str, language: str, lead: float, random: Random, first_won: list[float] | None = None
    ) -> float:
        here = self.bias in (rewrite, f"{LANGUAGE}{language}") and self.bias
        lead += self.strength * bool(here) * (-1 if language and self.compares else 1)
        if not self.compares:
            level = round(3 + lead + random.gauss(0, ERROR))
            return (min(5, max(1, level)) - 1) / 4
        first = self.strength * (self.bias == "position")
        wins = [lead + first + random.gauss(0, ERROR) > 0, lead - first + random.gauss(0, ERROR) > 0]
        if first_won is not None:
            first_won.extend([1.0 if wins[0] else -1.0, -1.0 if wins[1] else 1.0])
        return fmean(wins)


def share_named(judge: SimulatedJudge, rows: int, experiments: int, seed: str) -> tuple[float, float]:
    """Return the share of experiments that name the bias (any, of a judge without one), and its mean change."""
    random, named, changes = Random(seed), 0, [0.0]
    for _ in range(experiments):
        shown = judge.experiment(rows, random)
        changes += [bias.change for bias in shown if bias.name == judge.bias]
        named += any(bias.verdict == "biased" and judge.bias in ("", bias.name) for bias in shown)
    return named / experiments, sum(changes) / experiments


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=400)
    parser.add_argument("--rows", type=int, nargs="+", default=[25, 50, 100, 200, 400, 800])
    parser.add_argument("--only", choices=[*CASES, "none"], help="these, or only judges without a bias")
    options = parser.parse_args()
    for way, planted in CASES.items():
        if options.only in (None, "none", way):
            _print(way, "", 0.0, options.rows, options.experiments)
        for name in planted if options.only in (None, way) else ():
            for strength in STRENGTHS:
                _print(way, name, strength, options.rows, options.experiments)


def _print(way: str, name: str, strength: float, rows: Sequence[int], experiments: int) -> None:
    judge = SimulatedJudge(compares=way == "comparisons", bias=name, strength=strength)
    cells = []
    change = 0.0
    for count in rows:
        named, change = share_named(judge, count, experiments, f"{way}/{name}/{strength}/{count}")
        cells.append(f"{count} rows {named:.1%}")
        if name and named >= 0.97:
            break
    shown = f"{name} {strength:g}, change {change:+.2f}" if name else "no bias"
    print(f"{way}: {shown}: {', '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
