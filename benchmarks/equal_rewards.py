"""Are rewards equal on all engines, and does each learn by them? Recipes through each engine's own loop on a CPU.

For each engine that is named with an interpreter: its test test_equal_rewards (trl's is in test_backend_laws) against
`rewardlab score`, whose recipe has a win rate within groups by a judge behind HTTP that fails on some answers, a
component that abstains, and one in a process; and the quickstart's recipe. Prints a table: completions, those without a
value, the largest differences, and the quickstart's held-out total before and after.

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
    "before": "quickstart: held-out total before",
    "after": "after",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", help="NAME=PYTHON")
    lines = [f"| engine | {' | '.join(COLUMNS.values())} |", "|---|" + "---|" * len(COLUMNS)]
    for engine in parser.parse_args().engines:
        for name, found in measured(*engine.split("=", 1)).items():
            shown = (f"{found[column]:.3g}" if column in found else "" for column in COLUMNS)
            lines.append(f"| {name} | {' | '.join(shown)} |")
    print("\n".join(lines))


def measured(engine: str, python: str) -> dict[str, dict]:
    """Return what the engine's tests found, by the name that each has in the table."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.jsonl"
        tests = [f"plugins/{engine}/tests", *(["tests/recipes/test_quickstart.py"] if engine == "trl" else [])]
        tests += ["-k", "trains_on_the_rewards_that_score_gives or lifts_the_held_out_total"]
        command = [python, "-m", "pytest", "-n", "0", "-m", "slow or nightly", "-p", "no:cacheprovider", *tests]
        subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"REWARDLAB_EQUALITY": str(told)})
        found: dict[str, dict] = {}
        for line in map(json.loads, told.read_text(encoding="utf-8").splitlines()):
            found.setdefault(line.get("engine", engine), {}).update(line)
        return found


if __name__ == "__main__":
    main()
