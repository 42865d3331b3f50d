"""Does the quickstart learn, is it the reward that teaches, and what does it cost?

For each seed: the quickstart as it is, and a control whose shaped rewards are shuffled within each group (same
SFT model, same prompts, same noise). Prints held-out means before and after, number pairs never seen in training
apart, wall time and peak memory (all processes).

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
from collections.abc import Sequence
from pathlib import Path

import psutil

RECIPE = Path(__file__).parents[1] / "recipes" / "quickstart.yaml"
DRIFT = 0.15  # random updates move a mean this much, up or down; less is no rise
SHOWN = (("all", "total"), ("all", "accuracy"), ("all", "format"), ("all but en", "language"))
CONTROL = '''
import random
from rewardlab import NormalizerSpec, hookimpl

class Shuffled:
    """The group's rewards, handed to the wrong completions."""
    def shape(self, totals, tokens, kept, seed):
        shuffled = [totals[i] for i in kept]
        random.Random(repr((seed, totals))).shuffle(shuffled)
        return shuffled

@hookimpl
def rewardlab_normalizers():
    return [NormalizerSpec(name="shuffled", summary="a control", build=lambda options, context: Shuffled())]
'''


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--steps", type=int, help="RL steps, in place of the recipe's")
    parser.add_argument("--no-control", action="store_true")
    options = parser.parse_args()
    steps = [f"stages.1.steps={options.steps}"] if options.steps else []
    rises: dict[str, dict[tuple[str, str], int]] = {"rewarded": {}, "control": {}}
    with tempfile.TemporaryDirectory() as folder:
        _install_control(Path(folder))
        for seed in options.seeds:
            run, seconds, memory = _run(Path(folder), [f"seed={seed}", *steps])
            print(f"seed {seed}: {seconds:.0f} s wall, {memory / 2**30:.2f} GiB at most", flush=True)
            _compare("rewarded", run, rises["rewarded"])
            if not options.no_control:
                sft = run / "models" / "0-sft"
                changes = [f"seed={seed}", *steps, f"model={sft}", "reward.normalize=[control/shuffled]"]
                control, _, _ = _run(Path(folder), [*changes, "--stage", "1"])
                _compare("control", control, rises["control"])
    print(f"\nrose by more than {DRIFT} on how many of {len(options.seeds)} seeds:")
    for name, counts in rises.items():
        print(f"  {name}: " + ", ".join(f"{part} {column} {count}" for (part, column), count in counts.items()))


def _install_control(folder: Path) -> None:
    (folder / "rewardlab_control.py").write_text(CONTROL)
    info = folder / "rewardlab_control-0.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rewardlab-control\nVersion: 0.0.0\n")
    (info / "entry_points.txt").write_text("[rewardlab]\ncontrol = rewardlab_control\n")


def _run(folder: Path, arguments: Sequence[str]) -> tuple[Path, float, int]:
    """(run directory, wall seconds, peak bytes of the process and its children)."""
    before = set((folder / "runs").glob("*"))
    command = [sys.executable, "-m", "rewardlab.cli", "run", str(RECIPE), *arguments]
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    started, peak = time.monotonic(), 0
    log = folder / "log.txt"
    with log.open("w") as output:
        process = psutil.Popen(
            command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, stdout=output, stderr=subprocess.STDOUT
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


def _compare(name: str, run: Path, rises: dict[tuple[str, str], int]) -> None:
    before, after = (_means(run, when) for when in ("before", "after"))
    cells = []
    for part, column in SHOWN:
        then, now = before[part][column], after[part][column]
        rises[part, column] = rises.get((part, column), 0) + (now > then + DRIFT)
        cells.append(f"{column}{'' if part == 'all' else f' ({part})'} {then:.3f} -> {now:.3f}")
    unseen = (
        f"accuracy on unseen pairs {before['pair unseen']['accuracy']:.3f} -> {after['pair unseen']['accuracy']:.3f}"
    )
    print(f"  {name:>8}: " + ", ".join([*cells, unseen]), flush=True)


def _means(run: Path, when: str) -> dict[str, dict[str, float]]:
    content = json.loads((run / "evaluation" / f"1-rl-{when}.json").read_text())
    return {part["name"]: part["means"] for part in content["slices"]}


if __name__ == "__main__":
    main()
