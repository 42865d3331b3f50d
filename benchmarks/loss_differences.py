"""Does each engine's loss get, and give, what a recipe says? The jobs of docs/engines.md's lines, against formulas.

Runs plugins/ENGINE/tests/test_claimed_jobs.py of each engine, openrlhf and verl with the Python of their tests'
environment, and writes the greatest differences into docs/benchmarks.md after every job. FILE keeps what the jobs told:
a job that stands there is not run again, and without an engine the table is written from it alone.

    python benchmarks/loss_differences.py FILE trl openrlhf=.venv-openrlhf/bin/python verl=.venv-verl/bin/python
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
ENGINES = ("trl", "openrlhf", "verl")
BEGIN, END = "<!-- loss differences -->\n", "<!-- end of loss differences -->"
sys.path.insert(0, str(ROOT / "tests"))
from helpers.claimed_jobs import JOBS, each_job, name_of  # noqa: E402
from helpers.engine_jobs import read_lines  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="what the jobs told")
    parser.add_argument("engines", nargs="*", help="trl, or NAME=PYTHON")
    given = parser.parse_args()
    write(given.file)
    for text in given.engines:
        engine, _, python = text.partition("=")
        for lines in each_job(engine):
            if (engine, name_of(lines)) not in results(given.file):
                run(engine, name_of(lines), python or sys.executable, given.file)
                write(given.file)


def run(engine: str, job: str, python: str, file: Path) -> None:
    test = f"plugins/engines/{engine}/tests/test_claimed_jobs.py::test_the_loss_gets_what_the_lines_say[{job}]"
    environment = os.environ | {"REWARDLAB_DIFFERENCES": str(file.absolute())}
    subprocess.run([python, "-m", "pytest", test, "-m", "nightly", "-n", "0"], cwd=ROOT, env=environment, check=False)


def write(file: Path) -> None:
    told, claimed = results(file), {engine: each_job(engine) for engine in ENGINES}
    rows = [f"| lines of a job | {' | '.join(ENGINES)} |", "|---|" + "---|" * len(ENGINES)]
    for lines in JOBS:
        own = [next((of for of in claimed[engine] if set(of) & set(lines)), None) for engine in ENGINES]
        cells = [shown(told, engine, of) for engine, of in zip(ENGINES, own, strict=True)]
        rows.append(f"| {', '.join(lines)} | {' | '.join(cells)} |")
    table = BEGIN + "\n".join(rows) + "\n" + END
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(f"{BEGIN}.*?{END}", lambda _: table, text, flags=re.DOTALL), encoding="utf-8")


def results(file: Path) -> dict[tuple[str, str], dict]:
    return {(row["engine"], row["job"]): row for row in (read_lines(file) if file.exists() else ())}


def shown(told: dict[tuple[str, str], dict], engine: str, lines: tuple[str, ...] | None) -> str:
    """Return a cell: the greatest difference of an advantage, and of an update's loss."""
    if lines is None:
        return ""
    row = told.get((engine, name_of(lines)))
    if row is None:
        return "not run"
    advantages = "its critic's" if row["advantages"] is None else f"{row['advantages']:.0e}"
    return f"{advantages}, {row['loss']:.0e}"


if __name__ == "__main__":
    main()
