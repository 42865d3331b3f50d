"""Kills of everything that scores a file on many machines: nothing is lost, nothing stands twice, order stays.

    python benchmarks/shard_kills.py                  # shards and merges, on this machine
    python benchmarks/shard_kills.py --kinds driver actor node shard merge --kills 6   # with Ray: two nodes on loopback

Rows of a slow reward are scored by shards, or by hosts on a Ray cluster of two nodes (plugins/engines/verl/tests has
its environment). In each round one process is killed by SIGKILL at a random moment: the command of a shard, of a merge,
the driver of `--on ray`, a host, or a node with all that it started; what was stopped goes on by --resume. The file
must be that of one machine, byte by byte. A line a round, and a sum.
"""

import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
PLUGIN = ROOT / "tests" / "score_plugin"
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}  # without one Ray 2.60 answers nobody
OF_RAY = ("driver", "actor", "node")
ROWS, PAUSE_S, SHARDS = 1500, 0.01, 3  # of a shard 500, which are written in several parts


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", default=["shard", "merge"], choices=["shard", "merge", *OF_RAY])
    parser.add_argument("--kills", type=int, default=6, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, cluster(options.kinds, Path(folder)) as nodes:
        rounds = Rounds(Path(folder), nodes, random.Random(options.seed))
        right = Counter[str]()
        for kind in options.kinds:
            for number in range(options.kills):
                when, same = rounds.kill(kind)
                right[kind] += same
                print(f"{kind:<7} {number + 1:>3}: {when}, {'the same bytes' if same else 'OTHER BYTES'}", flush=True)
    print(", ".join(f"{kind} {right[kind]} of {options.kills}" for kind in options.kinds), "ended in the same bytes")
    sys.exit(sum(right.values()) != options.kills * len(options.kinds))


def cluster(kinds: list[str], folder: Path) -> Any:
    if not set(kinds) & set(OF_RAY):
        return nullcontext()
    from helpers.ray_cluster import two_nodes

    return two_nodes(TOKEN, [PLUGIN], folder, cpus=1, job_server=False)


class Rounds:
    """Rounds in one folder, with the file of one machine."""

    def __init__(self, folder: Path, nodes: Any, chance: random.Random) -> None:
        self._folder, self._nodes, self._chance = folder, nodes, chance
        paths = os.pathsep.join([str(PLUGIN), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._environment = {**os.environ, **TOKEN, "PYTHONPATH": paths, "RAY_ADDRESS": getattr(nodes, "gcs", "")}
        write_job(folder)
        self._run("score", "r.yaml", "rows.jsonl", "-o", "one.jsonl")
        self._right = (folder / "one.jsonl").read_bytes()

    def kill(self, kind: str) -> tuple[str, bool]:
        """Score anew, with one kill; return when it came, and whether the file is right."""
        for made in self._folder.glob("out.jsonl*" if kind == "merge" else "out*"):  # shards stay for all merges
            subprocess.run(["rm", "-rf", str(made)], check=True)
        when = getattr(self, f"_{kind}")()
        return when, (self._folder / "out.jsonl").read_bytes() == self._right

    def _shard(self) -> str:
        killed = self._chance.randrange(1, SHARDS + 1)
        for part in range(1, SHARDS + 1):
            words = ["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--shard", f"{part}/{SHARDS}"]
            path = self._folder / f"out.{part}-of-{SHARDS}.jsonl"
            if part == killed:
                when = f"shard {part} {self._killed(words, path)}"
            self._run(*words, *["--resume"] * (part == killed))
        self._run("merge", "out.jsonl")
        return when

    def _merge(self) -> str:
        for part in range(1, SHARDS + 1):
            if not (self._folder / f"out.{part}-of-{SHARDS}.jsonl").exists():
                self._run("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--shard", f"{part}/{SHARDS}")
        process = self._start("merge", "out.jsonl")
        pause = self._chance.uniform(0, 1.5)
        time.sleep(pause)
        process.kill()
        process.wait()
        if (self._folder / "out.jsonl").exists():
            return f"after {pause:.2f} s, when it was done"
        self._run("merge", "out.jsonl")
        return f"after {pause:.2f} s"

    def _driver(self) -> str:
        words = ["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray"]
        when = self._killed(words, self._folder / "out.jsonl")
        self._run(*words, "--resume")
        return when

    def _actor(self) -> str:
        process, lines = self._under_way()
        with suppress(IndexError, psutil.NoSuchProcess):
            self._chance.choice(hosts()).kill()
        self._end(process)
        return f"after {lines} rows"

    def _node(self) -> str:
        process, lines = self._under_way()
        self._nodes.lose_node()
        self._nodes.add_node()
        if process.wait(600):  # the driver was connected to this node
            self._run("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray", "--resume")
            return f"after {lines} rows, that of the driver"
        return f"after {lines} rows"

    def _under_way(self) -> tuple[Any, int]:
        process = self._start("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray")
        return process, self._wait(process, self._folder / "out.jsonl")

    def _killed(self, words: list[str], path: Path) -> str:
        """Kill a command when a random number of rows is written; return when that was."""
        process = self._start(*words)
        lines = self._wait(process, path)
        process.kill()
        ended = process.wait() == 0
        return f"after {lines} of its rows" + ", when it was done" * ended

    def _wait(self, process: Any, path: Path) -> int:
        """Wait until a random number of rows is written, or the process has ended."""
        least = self._chance.randrange(0, ROWS // SHARDS * 3 // 4)
        while process.poll() is None and lines_of(path) <= least:
            time.sleep(0.02)
        return lines_of(path)

    def _start(self, *words: str) -> Any:
        command = [sys.executable, "-m", "rewardlab.cli", *words]
        with open(self._folder / "log", "a") as log:
            return subprocess.Popen(command, cwd=self._folder, env=self._environment, stdout=log, stderr=log)

    def _run(self, *words: str) -> None:
        self._end(self._start(*words))

    def _end(self, process: Any) -> None:
        if process.wait(600):
            sys.exit((self._folder / "log").read_text()[-3000:])


def hosts() -> list[psutil.Process]:
    named = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if "ray::HostActor" in " ".join(process.cmdline()):
                named.append(process)
    return named


def lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def write_job(folder: Path) -> None:
    component = {"use": "cases/length", "with": {"pause": PAUSE_S}}
    reward = {"components": {"length": component}, "total": "length"}
    (folder / "r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))
    with open(folder / "rows.jsonl", "w") as file:
        for number in range(ROWS):
            row_id = ({"id": number}, {"id": f"n{number}"}, {})[number % 3]
            texts = ["x" * (number % 40 + index) for index in range(1 + number % 3)]
            file.write(json.dumps(row_id | {"prompt": f"question {number % 7}", "completions": texts}) + "\n")


if __name__ == "__main__":
    main()
