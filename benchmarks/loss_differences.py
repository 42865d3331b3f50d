"""Does each engine's loss get, and give, what a recipe says? The jobs of docs/engines.md's lines, against formulas.

Runs plugins/ENGINE/tests/test_claimed_jobs.py of each engine, openrlhf and verl with the Python of their tests'
environment, and writes the greatest differences into docs/benchmarks.md. --told reads what those tests told to the
file that REWARDLAB_DIFFERENCES names, and runs nothing; lines that no job of these ran stand there as such.

    python benchmarks/loss_differences.py trl openrlhf=.venv-openrlhf/bin/python verl=.venv-verl/bin/python
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
ENGINES = ("trl", "openrlhf", "verl")
BEGIN, END = "<!-- loss differences -->\n", "<!-- end of loss differences -->"
sys.path.insert(0, str(ROOT / "tests"))


def main() -> None:
    from helpers.claimed_jobs import each_job

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", help="trl, or NAME=PYTHON")
    parser.add_argument("--told", type=Path, nargs="*", default=[], help="files of differences")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "differences.jsonl"
        for engine in given.engines:
            name, _, python = engine.partition("=")
            tests = [f"plugins/{name}/tests/test_claimed_jobs.py", "-m", "nightly", "-n", "0"]
            environment = os.environ | {"REWARDLAB_DIFFERENCES": str(run)}
            subprocess.run([python or sys.executable, "-m", "pytest", *tests], cwd=ROOT, env=environment, check=False)
        texts = [path.read_text(encoding="utf-8") for path in (run, *given.told) if path.exists()]
    told = [json.loads(line) for text in texts for line in text.splitlines()]
    differences = {(row["engine"], row["line"]): row for row in told}
    claimed = {engine: each_job(engine) for engine in ENGINES}
    labels = dict.fromkeys(label for engine in ENGINES for label in claimed[engine])
    lines = [f"| | {' | '.join(ENGINES)} |", "|---|" + "---|" * len(ENGINES)]
    for label in labels:
        cells = [shown(differences.get((engine, label))) if label in claimed[engine] else "" for engine in ENGINES]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    text = PAGE.read_text(encoding="utf-8")
    table = BEGIN + "\n".join(lines) + "\n" + END
    PAGE.write_text(re.sub(f"{BEGIN}.*?{END}", lambda _: table, text, flags=re.DOTALL), encoding="utf-8")


def shown(row: dict | None) -> str:
    """Return a cell: the greatest difference of an advantage, and of an update's loss."""
    if row is None:
        return "not run"
    advantages = "its critic's" if row["advantages"] is None else f"{row['advantages']:.0e}"
    return f"{advantages}, {row['loss']:.0e}"


if __name__ == "__main__":
    main()
