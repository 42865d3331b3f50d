"""What the library adds to a reward: microseconds a completion through `Scorer`, against the bare function.

    python benchmarks/scoring_overhead.py

512 groups of 8 completions, one inline reward that does next to nothing; the best of several rounds of both,
in turn. Then `rewardlab score` from file to file, in rows a second.
"""

import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable
from json import dumps
from pathlib import Path

GROUPS, SIZE = 512, 8
AIM_US = 20.0

PLUGIN = """
from rewardlab import RewardSpec, Score, hookimpl

def brevity(text):
    return min(1.0, 5 / max(1, len(text)))

class Brevity:
    def score(self, items):
        return [Score(value=brevity(completion.text)) for _, completion in items]

@hookimpl
def rewardlab_rewards():
    build = lambda options, context: Brevity()
    return [RewardSpec(name="brevity", summary="short answers", runs="inline", build=build)]
"""
RECIPE = """
version: 1
reward:
  components: {brief: {use: bench/brevity}}
  total: brief
"""


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rows", type=int, default=5000, help="of the file that `rewardlab score` reads")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        bare, scored = overhead(Path(folder), options.rounds)
        print(f"{GROUPS} groups of {SIZE} completions, one trivial reward, best of {options.rounds} rounds:")
        print(f"  bare function in a loop  {bare:6.2f} us a completion")
        print(f"  Scorer.score_groups      {scored:6.2f} us a completion, {scored / bare:.1f} times as long")
        print(f"  overhead                 {scored - bare:6.2f} us a completion (aim: under {AIM_US:g})")
        took = command(Path(folder), options.rows)
        each = took / options.rows
        print(f"`rewardlab score` of {options.rows} rows of {SIZE} completions, from start to exit:")
        print(f"  {took:.1f} s, {1 / each:.0f} rows/s, {each / SIZE * 1e6:.1f} us a completion")


def install(folder: Path) -> None:
    """A plugin as pip would leave it, where Python finds it."""
    (folder / "bench_plugin.py").write_text(PLUGIN)
    (folder / "recipe.yaml").write_text(RECIPE)
    about = folder / "bench_plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[rewardlab]\nbench = bench_plugin\n")
    sys.path.insert(0, str(folder))


def overhead(folder: Path, rounds: int) -> tuple[float, float]:
    """(bare, scored): microseconds a completion."""
    from bench_plugin import brevity
    from rewardlab import Completion, Group, Sample
    from rewardlab.plan import make_plan
    from rewardlab.recipe.loading import load
    from rewardlab.scoring.scorer import Scorer

    groups = [
        Group(
            sample=Sample(id=str(number), prompt=({"role": "user", "content": "?"},)),
            completions=tuple(Completion(text="x" * (index + 1)) for index in range(SIZE)),
        )
        for number in range(GROUPS)
    ]
    with Scorer(make_plan(load(folder / "recipe.yaml"), purpose="score")) as scorer:
        expected = [[brevity(completion.text) for completion in group.completions] for group in groups]
        assert [list(scored.totals) for scored in scorer.score_groups(groups)] == expected
        bare, scored = [], []
        for _ in range(rounds):
            bare.append(seconds_of(lambda: [[brevity(c.text) for c in group.completions] for group in groups]))
            scored.append(seconds_of(lambda: scorer.score_groups(groups)))
    return min(bare) / GROUPS / SIZE * 1e6, min(scored) / GROUPS / SIZE * 1e6


def command(folder: Path, rows: int) -> float:
    """Seconds of `rewardlab score` as its user sees them."""
    with open(folder / "rows.jsonl", "w") as file:
        for number in range(rows):
            row = {"id": number, "prompt": "?", "completions": ["x" * (index + 1) for index in range(SIZE)]}
            file.write(dumps(row) + "\n")
    score = [sys.executable, "-m", "rewardlab.cli", "score", "recipe.yaml", "rows.jsonl", "-o", "out.jsonl"]
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    quiet = {"check": True, "capture_output": True, "cwd": folder, "env": os.environ | {"PYTHONPATH": path}}
    return seconds_of(lambda: subprocess.run(score, **quiet))


def seconds_of(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
