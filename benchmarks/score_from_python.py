"""What `load_reward` adds to the scorer beneath it: rows in, groups out, against `Scorer.score_groups` of made groups.

    python benchmarks/score_from_python.py

512 groups of 8 completions by the rewards of the quickstart (math, format, language, win rate by a local judge); both
in turn, the best of several rounds of each. Then one trivial reward, where the rows are most of what there is to do.
"""

import time
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from rewardlab import RecipeReward, load_reward
from rewardlab.scoring.given_rows import all_rows

GROUPS, SIZE = 512, 8
AIM = 1.05
BOXED = {"version": 1, "reward": {"components": {"format": {"use": "format/boxed"}}, "total": "format"}}


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print(f"{GROUPS} groups of {SIZE}, best of {options.rounds} rounds, in turn:")
    for name, recipe in (("quickstart", "quickstart"), ("format/boxed alone", BOXED)):
        below, above = measured(recipe, options.rounds)
        took = f"score_groups {below * 1e3:7.1f} ms, reward.score {above * 1e3:7.1f} ms"
        print(f"  {name:20} {took}: {above / below:.3f} times")
    print(f"  (aim: under {AIM:g} times with a recipe's rewards)")


def measured(recipe: Any, rounds: int) -> tuple[float, float]:
    """(score_groups, reward.score): seconds of the best round of each; whichever begins a round, ends the next."""
    with load_reward(recipe) as reward:
        took: dict[str, list[float]] = {"below": [], "above": []}
        for number in range(rounds + 1):  # the first warms both
            for name in sorted(took, reverse=bool(number % 2)):
                took[name].append(seconds_of(work(reward, made_rows(2 * number + (name == "above")), name)))
    return min(took["below"][1:]), min(took["above"][1:])


def work(reward: RecipeReward, rows: list[dict[str, Any]], name: str) -> Callable[[], object]:
    """What is timed: scoring groups that are made already, or the rows."""
    if name == "above":
        return lambda: reward.score(rows)
    groups = [row.group for row in all_rows(rows, reward.plan)]
    return lambda: reward._scorer.score_groups(groups)


def made_rows(number: int) -> list[dict[str, Any]]:
    """Rows whose texts no round had before, so that no cache helps."""
    return [
        {
            "id": f"{number}-{row}",
            "prompt": f"What is {number} + {row}?",
            "answer": str(number + row),
            "reference": f"Adding {row} to {number} makes \\boxed{{{number + row}}}.",
            "language": "en",
            "completions": [
                f"I add {row} to {number}, attempt {place}, and get \\boxed{{{number + row + place % 3}}}."
                for place in range(SIZE)
            ],
        }
        for row in range(GROUPS)
    ]


def seconds_of(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
