"""Does the quickstart learn, is it the reward that teaches, and what does it cost?

For each seed: the quickstart as it is, and a control whose shaped rewards are shuffled within each group (same
SFT model, same prompts, same noise). Prints held-out means before and after, number pairs never seen in training
apart, wall time and peak memory (all processes), and of several seeds each rise with its 95% interval.

    python benchmarks/quickstart.py                 # 5 seeds: 15 minutes on 2 idle cores
    python benchmarks/quickstart.py --seeds 1 2
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "tiny_models"))

import shuffled_rewards
from over_seeds import told_rises

RECIPE = Path(__file__).parents[1] / "recipes" / "quickstart.yaml"
SHOWN = {
    "total": ("all", "total"),
    "accuracy": ("all", "accuracy"),
    "box": ("all", "format"),
    "language, all but English": ("all but en", "language"),
    "accuracy, unseen pairs": ("pair unseen", "accuracy"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--steps", type=int, help="RL steps, in place of the recipe's")
    options = parser.parse_args()
    steps = [f"stages.1.steps={options.steps}"] if options.steps else []
    rises: list[dict[tuple[str, str], float]] = []
    with tempfile.TemporaryDirectory() as folder:
        shuffled = shuffled_rewards.install(Path(folder))
        for seed in options.seeds:
            run, seconds, memory = _run(Path(folder), [f"seed={seed}", *steps], {})
            print(f"seed {seed}: {seconds:.0f} s wall, {memory / 2**30:.2f} GiB at most", flush=True)
            changes = [f"seed={seed}", *steps, f"model={run / 'models' / '0-sft'}", shuffled_rewards.OVERRIDE]
            control, _, _ = _run(Path(folder), [*changes, "--stage", "1"], shuffled)
            rises.append(_rises("rewarded", run) | _rises("control", control))
    if len(rises) > 1:
        told_rises(rises, SHOWN, "rewarded", "control")


def _run(folder: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[Path, float, int]:
    """(run directory, wall seconds, peak bytes of the process and its children)."""
    before = set((folder / "runs").glob("*"))
    command = [sys.executable, "-m", "rewardlab.cli", "run", str(RECIPE), *arguments]
    started, peak = time.monotonic(), 0
    log = folder / "log.txt"
    with log.open("w") as output:
        process = psutil.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=output, stderr=subprocess.STDOUT
        )
        while process.poll() is None:
            peak = max(peak, _memory(process))
            time.sleep(0.25)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{log.read_text()}")
    (made,) = set((folder / "runs").glob("*")) - before
    return made, time.monotonic() - started, peak


def _memory(process: psutil.Process) -> int:
    total = 0
    for member in [process, *process.children(recursive=True)]:
        try:
            total += member.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total


def _rises(name: str, run: Path) -> dict[tuple[str, str], float]:
    """Print what a run's evaluations show; return how much each mean rose, by the run's name and what it is of."""
    before, after = (_means(run, when) for when in ("before", "after"))
    rises, cells = {}, []
    for title, (part, column) in SHOWN.items():
        then, now = before[part][column], after[part][column]
        rises[name, title] = now - then
        cells.append(f"{title} {then:.3f} -> {now:.3f}")
    print(f"  {name:>8}: " + "; ".join(cells), flush=True)
    return rises


def _means(run: Path, when: str) -> dict[str, dict[str, float]]:
    content = json.loads((run / "evaluation" / f"1-rl-{when}.json").read_text())
    return {part["name"]: part["means"] for part in content["slices"]}


if __name__ == "__main__":
    main()
