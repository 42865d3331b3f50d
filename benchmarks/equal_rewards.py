"""Are rewards equal on all engines, and does each learn by them? Recipes through each engine's own loop on a CPU.

For each engine: a recipe against `rewardlab score`, with a win rate within groups by a judge behind HTTP that fails
on some answers, a component that abstains, and one in a process; and the quickstart's recipe. openrlhf and verl are
named with the Python of their tests' environment, whose test_equal_rewards is run; trl needs nothing but
requirements.txt. Prints a table: completions, those without a value, the largest differences, and the quickstart's
held-out total before and after.

    python benchmarks/equal_rewards.py trl openrlhf=.venv-openrlhf/bin/python verl=.venv-verl/bin/python
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = "trains_on_the_rewards_that_score_gives or lifts_the_held_out_total"
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
    parser.add_argument("engines", nargs="+", help="trl, or NAME=PYTHON")
    lines = [f"| engine | {' | '.join(COLUMNS.values())} |", "|---|" + "---|" * len(COLUMNS)]
    for engine in parser.parse_args().engines:
        name, _, python = engine.partition("=")
        for row, found in measured(name, python or sys.executable).items():
            shown = (f"{found[column]:.3g}" if column in found else "" for column in COLUMNS)
            lines.append(f"| {row} | {' | '.join(shown)} |")
    print("\n".join(lines))


def measured(engine: str, python: str) -> dict[str, dict]:
    """Return what was found of an engine, by the name that each part has in the table."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.jsonl"
        environment = os.environ | {"REWARDLAB_EQUALITY": str(told)}
        if engine == "trl":
            program = "import equal_rewards; equal_rewards.compare_trl()"
            paths = [str(Path(__file__).parent), str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
            environment["PYTHONPATH"] = os.pathsep.join(paths)
            command = [python, "-c", program]
        else:
            tests = [
                f"plugins/engines/{engine}/tests",
                "-k",
                "trains_on_the_rewards_that_score_gives or lifts_the_held_out_total",
            ]
            command = [python, "-m", "pytest", "-n", "0", "-m", "slow or nightly", "-p", "no:cacheprovider", *tests]
        subprocess.run(command, cwd=ROOT, check=True, env=environment)
        found: dict[str, dict] = {}
        for line in map(json.loads, told.read_text(encoding="utf-8").splitlines()):
            found.setdefault(line.get("engine", engine), {}).update(line)
        return found


def compare_trl() -> None:
    """Compare trl in one process and in two, and let the quickstart learn; tell the numbers to REWARDLAB_EQUALITY."""
    import judge_server
    from helpers.equal_rewards import assert_equal
    from helpers.learning import QUICKSTART, assert_lifts_the_held_out_total
    from helpers.trl_batches import told_batches

    for processes in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            environment, received = told_batches(Path(folder))
            name = "trl" if processes == 1 else f"trl, {processes} processes"
            backend = {"use": "trl", "device": "cpu", "processes": processes}
            assert_equal(name, Path(folder), judge_server, backend, os.environ | environment, received)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "rewardlab.cli", "run", str(QUICKSTART)]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        [run] = (Path(folder) / "runs").iterdir()
        assert_lifts_the_held_out_total("trl", run)


if __name__ == "__main__":
    main()
