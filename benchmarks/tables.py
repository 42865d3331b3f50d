"""The time and memory of `rewardlab tables` on a million scored completions.

    python benchmarks/tables.py [--prompts 125000] [--samples 8] [--models 1]

Two tasks in 18 languages of the same problems, two components, of which one is right or wrong and the other a share;
with the rows that say task, language and problem. Prints the seconds from start to exit, and the peak memory of the
command.
"""

import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from json import dumps
from pathlib import Path
from random import Random

TASKS, LANGUAGES = ("first", "second"), [f"l{i:02}" for i in range(18)]


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prompts", type=int, default=125_000)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--models", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = [f"m{i}" for i in range(options.models)]
        write(folder, models, options.prompts, options.samples)
        took, peak = command(folder, models)
    count = options.prompts * options.samples * options.models
    print(f"{count:,} completions, {options.models} models: {took:.1f} s, {peak / 1024:.0f} MB")


def write(folder: Path, models: list[str], prompts: int, samples: int) -> None:
    """Write the rows and each model's scores of them."""
    with (folder / "rows.jsonl").open("w") as file:
        for number in range(prompts):
            task, language = TASKS[number % 2], LANGUAGES[number // 2 % len(LANGUAGES)]
            row = {"id": f"p{number}", "prompt": f"prompt {number}", "task": task, "language": language}
            file.write(dumps(row | {"problem": number // (2 * len(LANGUAGES))}) + "\n")
    for model in models:
        random = Random(model)
        with (folder / f"{model}.jsonl").open("w") as file:
            for number in range(prompts):
                file.write(dumps(scored(f"p{number}", samples, random)) + "\n")


def scored(row_id: str, samples: int, random: Random) -> dict:
    """Return a line as `rewardlab score` writes it."""
    chance = random.random()
    right = [float(random.random() < chance) for _ in range(samples)]
    share = [random.random() for _ in range(samples)]
    columns = {
        name: {"value": v, "error": [None] * samples, "info": [{}] * samples}
        for name, v in (("right", right), ("share", share))
    }
    return {"id": row_id, "total": right, "shaped": right, "components": columns}


def command(folder: Path, models: list[str]) -> tuple[float, int]:
    """Return the seconds that the command takes, and its peak memory in KiB."""
    program = [sys.executable, "-m", "rewardlab.cli", "tables", *(f"{model}={model}.jsonl" for model in models)]
    measures = ["--measure", "accuracy=right", "--measure", "fidelity=share>=0.7", "--measure", "share"]
    start = time.perf_counter()
    with subprocess.Popen(
        [*program, "--rows", "rows.jsonl", *measures], cwd=folder, stdout=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"the command failed with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss


if __name__ == "__main__":
    main()
