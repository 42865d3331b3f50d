"""Are rewards equal on all engines? One recipe through each engine's own loop on a CPU, against `rewardlab score`.

For each engine that is named with an interpreter: its test test_equal_rewards (trl's is in test_backend_laws), whose
recipe has a win rate within groups by a judge behind HTTP that fails on some answers, a component that abstains, and
one in a process. Prints a table: completions, those without a value, and the largest differences.

    python benchmarks/equal_rewards.py trl=python openrlhf=.venv-openrlhf/bin/python verl=.venv-verl/bin/python
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COLUMNS = {
    "completions": "completions",
    "masked": "without a value",
    "totals": "largest difference of a total",
    "advantages": "largest difference of an advantage",
    "moved": "largest change of a weight",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", help="NAME=PYTHON")
    lines = [f"| engine | {' | '.join(COLUMNS.values())} |", "|---|" + "---|" * len(COLUMNS)]
    for engine in parser.parse_args().engines:
        found = measured(*engine.split("=", 1))
        lines.append(f"| {found['engine']} | {' | '.join(f'{found[name]:.2g}' for name in COLUMNS)} |")
    print("\n".join(lines))


def measured(engine: str, python: str) -> dict:
    """Return what the engine's test found."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.jsonl"
        tests = [f"plugins/{engine}/tests", "-k", "trains_on_the_rewards_that_score_gives"]
        command = [python, "-m", "pytest", "-n", "0", "-m", "slow or not slow", "-p", "no:cacheprovider", *tests]
        subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"REWARDLAB_EQUALITY": str(told)})
        return json.loads(told.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
