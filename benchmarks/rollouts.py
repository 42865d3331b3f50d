"""Measure what reading, scoring and exporting rollouts take: a dump of verl, whose batches are shuffled, at any size.

    python benchmarks/rollouts.py --completions 100000

Each step is a process of its own: seconds of the clock and of processors, and the most memory that it held.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

GROUP = 8
WORDS = 120
RECIPE = """version: 1
reward: {components: {accuracy: {use: math/accuracy}, box: {use: format/boxed}}, total: accuracy + 0.1*box}
"""
MEASURED = (
    "import resource, sys; from rewardlab.cli import main; code = main(sys.argv[1:])\n"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, file=sys.stderr); sys.exit(code)"
)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--completions", type=int, default=100_000, help="how many (100,000)")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "r.yaml").write_text(RECIPE, encoding="utf-8")
        write_dump(folder / "1.jsonl", options.completions)
        print(f"{options.completions:,} completions, {(folder / '1.jsonl').stat().st_size >> 20} MB")
        print("step                 wall s   cpu s   memory MB")
        for step in ("score r.yaml 1.jsonl -o scored.jsonl", "export 1.jsonl scored.jsonl -o table.parquet"):
            wall, cpu, memory = measured(step.split(), folder)
            print(f"{step.split()[0]:<20} {wall:6.1f}  {cpu:6.1f}  {memory:10d}")


def write_dump(path: Path, completions: int) -> None:
    """Write a step as verl's first trainer does: a line a completion, in the order of a balanced batch."""
    draw = random.Random(0)
    order = [number for number in range(completions // GROUP) for _ in range(GROUP)]
    draw.shuffle(order)
    with path.open("w", encoding="utf-8") as file:
        for number in order:
            words = " ".join(draw.choice(("first", "we", "add", "then", "so", "seven")) for _ in range(WORDS))
            record = {
                "input": f"user\nWhat is {number} + 3?\nassistant\n",
                "output": f"{words} \\boxed{{{number + draw.choice((3, 4))}}}",
                "gts": str(number + 3),
                "score": 1.0,
                "step": 1,
            }
            file.write(json.dumps(record) + "\n")


def measured(words: list[str], folder: Path) -> tuple[float, float, int]:
    """Run a command; return its seconds by the clock and by processors, and the megabytes that it held at most."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run([sys.executable, "-c", MEASURED, *words], cwd=folder, capture_output=True, text=True)
    wall, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, int(done.stderr.splitlines()[-1])


if __name__ == "__main__":
    main()
