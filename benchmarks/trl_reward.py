"""What a recipe's reward adds to a step of a TRL script, beside a bare function: milliseconds a call of the reward.

    python benchmarks/trl_reward.py                  # in one process
    python benchmarks/trl_reward.py --processes 2    # groups of which each process has a half (gloo, this CPU)

A step of 64 prompts with 8 completions of 400 characters, columns and logs as TRL hands them over, one inline reward
that does next to nothing; the best of several rounds of both, in turn.
"""

import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

from scoring_overhead import install

PROMPTS, SIZE, CHARACTERS = 64, 8, 400


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--folder", type=Path, help="set in the processes that this script starts")
    options = parser.parse_args()
    if options.folder is not None:
        measure(options.folder, options.rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        launch = ["-m", "torch.distributed.run", f"--nproc_per_node={options.processes}", "--standalone"]
        command = [sys.executable, *(launch if options.processes > 1 else []), __file__]
        subprocess.run([*command, "--folder", folder, "--rounds", str(options.rounds)], check=True)


def measure(folder: Path, rounds: int) -> None:
    """Time the calls of this process, and print them in the first."""
    sys.path.insert(0, str(folder))
    from accelerate import PartialState
    from bench_plugin import brevity
    from rewardlab_trl import reward_function

    state = PartialState(cpu=True)
    logged: dict[str, float] = {}
    columns = batch(state.process_index, state.num_processes) | {"log_metric": logged.__setitem__}

    def bare(completions: list[str], **_: object) -> list[float]:
        return [brevity(completion) for completion in completions]

    with reward_function(folder / "recipe.yaml", group_size=SIZE) as reward:
        assert reward(**columns) == bare(**columns)
        assert "reward/brief" in logged
        took = {name: 1e3 * best(call, columns, rounds) for name, call in (("bare", bare), ("recipe", reward))}
    if state.is_main_process:
        of = f"{PROMPTS} prompts x {SIZE}, {state.num_processes} process(es), best of {rounds} steps"
        print(f"{of}: bare function {took['bare']:.2f} ms, recipe {took['recipe']:.1f} ms a step")


def batch(number: int, count: int) -> dict[str, list]:
    """The arguments of a step for process `number` of `count`: a part of its completions, in their order."""
    rows = [{"id": str(prompt), "answer": str(prompt)} for prompt in range(PROMPTS) for _ in range(SIZE)]
    texts = [f"{number:03} ".ljust(CHARACTERS - number % 5, "x") for number in range(len(rows))]
    mine = slice(number * len(rows) // count, (number + 1) * len(rows) // count)
    return {
        "prompts": [f"How much is {row['id']} + 1?" for row in rows][mine],
        "completions": texts[mine],
        "completion_ids": [[1] * 100 for _ in rows][mine],
        "id": [row["id"] for row in rows][mine],
        "answer": [row["answer"] for row in rows][mine],
    }


def best(call: Callable[..., object], columns: dict[str, list], rounds: int) -> float:
    """The least seconds of a call."""
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        call(**columns)
        taken.append(time.perf_counter() - begun)
    return min(taken)


if __name__ == "__main__":
    main()
