"""Scoring on many machines: what shards, their merge and hosts on Ray cost beside one machine.

    python benchmarks/shards.py merge --rows 1000000        # seconds and the largest memory of a merge
    python benchmarks/shards.py costs                       # microseconds a row of each part of the work, and the model
    python benchmarks/shards.py ray                         # where Ray is (plugins/engines/verl/tests): two nodes here
    python benchmarks/shards.py ray --ray-data              # the same rows by Ray Data, for the comparison
    python benchmarks/shards.py overhead                    # 10,000 rows of one host beside one process, start apart

`ray` scores the same rows in one process, and by hosts on one and two nodes of one CPU each: a reward that computes,
one that waits as for a judge, and 10,000 rows of one that does nothing. CPU seconds stand beside the wall's, which
mean little on a machine with other work.
"""

import os
import re
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

PLUGIN = """
import asyncio, time
from rewardlab import Config, RewardSpec, Score, hookimpl

class Options(Config):
    computes_ms: float = 0
    waits_ms: float = 0

class Work:
    def __init__(self, options):
        self._options = options
    async def score(self, items):
        if self._options.waits_ms:
            await asyncio.sleep(self._options.waits_ms / 1000)
        end = time.thread_time() + self._options.computes_ms / 1000
        while time.thread_time() < end:
            pass
        return [Score(value=1.0, info={"characters": len(completion.text)}) for _, completion in items]

@hookimpl
def rewardlab_rewards():
    build = lambda options, context: Work(options)
    return [RewardSpec(name="work", summary="works", runs="async", config=Options, build=build)]
"""
NODES, ROWS = 64, 10_000_000


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["merge", "costs", "ray", "overhead"])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--ray-data", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        install()
        {"merge": merge, "costs": costs, "ray": on_ray, "overhead": overhead}[options.part](options)


def install() -> None:
    """A plugin as pip would leave it, where Python and every process that it starts find it."""
    Path("bench_plugin.py").write_text(PLUGIN)
    about = Path("bench_plugin-1.0.dist-info")
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[rewardlab]\nbench = bench_plugin\n")
    os.environ["PYTHONPATH"] = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])


def write_job(rows: int, **work: float) -> None:
    reward = {"components": {"work": {"use": "bench/work", "with": work}}, "total": "work"}
    Path("r.yaml").write_text(dumps({"version": 1, "reward": reward}))
    with open("rows.jsonl", "w") as file:
        for number in range(rows):
            texts = [f"completion {index} of row {number} " * 10 for index in range(4)]
            row = {"id": f"row-{number}", "prompt": f"question {number}", "answer": "42", "completions": texts}
            file.write(dumps(row) + "\n")


def rewardlab(*words: str, **variables: str) -> tuple[float, float, float]:
    """Run a command; return (wall seconds, CPU seconds, MiB of the largest memory)."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    memory, command = 0.0, [sys.executable, "-m", "rewardlab.cli", *words]
    with open("log", "w+") as log:
        process = subprocess.Popen(command, env=os.environ | variables, stdout=log, stderr=log)
        while process.poll() is None:
            memory = max(memory, peak_mib(process.pid))
            time.sleep(0.05)
        log.seek(0)
        errors = log.read()
    if process.returncode:
        sys.exit(errors[-3000:])
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, memory


def peak_mib(process: int) -> float:
    """MiB; what the kernel counts of children begins with what their parent had."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(peak[1]) / 1024 if peak else 0.0


def merge(options: Namespace) -> None:
    """Write shards as `score` writes them, without scoring: what is measured is the merge."""
    from rewardlab.judging import Share
    from rewardlab.scorefile import StateFolder, to_line

    rows, shares = options.rows or 1_000_000, [Share(part + 1, options.shards) for part in range(options.shards)]
    files = [open(share.path(Path("out.jsonl")), "wb") for share in shares]  # noqa: SIM115 (closed below, all of them)
    places: list[list[tuple[int, str]]] = [[] for _ in shares]
    column: dict[str, list[Any]] = {"value": [0.5] * 4, "error": [None] * 4, "info": [{"characters": 200}] * 4}
    for number in range(rows):
        own = next(part for part, share in enumerate(shares) if share.has(f"row-{number}"))
        line = {"id": f"row-{number}", "total": [0.5] * 4, "shaped": [0.5] * 4, "components": {"work": column}}
        files[own].write(to_line(line))
        places[own].append((number, f"row-{number}"))
    for file, share, of_shard in zip(files, shares, places, strict=True):
        file.close()
        state = StateFolder(share.path(Path("out.jsonl")))
        state.hold()
        state.write_places(of_shard)
        made_of = {"recipe": {}, "components": ["work"], "rows": {"sha256": "0"}, "plugins": {}}
        state.write({"format": 1, **made_of, "shard": str(share), "all_rows": rows, "whole_recipe": {}})
        state.close()
    wall, cpu, memory = rewardlab("merge", "out.jsonl")
    each = cpu / rows * 1e6
    print(
        f"merge of {rows:,} rows in {options.shards} shards: {wall:.1f} s, {cpu:.1f} CPU s ({each:.1f} us a row), "
        f"{memory:.0f} MiB at most, {Path('out.jsonl').stat().st_size / 2**20:.0f} MiB written"
    )


def costs(options: Namespace) -> None:
    """Fit what a shard does for each row of the file, and for each row of its own; then the model of 64 nodes."""
    rows = options.rows or 20_000
    write_job(rows)
    _, whole, _ = rewardlab("score", "r.yaml", "rows.jsonl", "-o", "one.jsonl")
    _, part, _ = rewardlab("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--shard", "1/1000")
    write_job(1)
    _, start, _ = rewardlab("score", "r.yaml", "rows.jsonl", "-o", "two.jsonl")
    read, scored = (part - start) / rows * 1e6, (whole - part) / rows * 1e6
    print(f"start {start:.2f} CPU s; each row of the file {read:.0f} us (read, checked, indexed); each row that is")
    print(f"scored {scored:.0f} us beside its reward (four completions, one component)")
    for cost_ms in (1, 10, 100, 1000):
        of_shard = ROWS * read / 1e6 + ROWS / NODES / 16 * (scored / 1e6 + cost_ms / 1e3)
        print(
            f"  {ROWS:,} rows of {cost_ms} ms on {NODES} nodes, 16 shards each: {of_shard / 60:.1f} minutes, of which "
            f"{ROWS * read / 1e6 / 60:.1f} read the file"
        )


@contextmanager
def cluster() -> Iterator[Any]:
    from helpers.ray_cluster import two_nodes

    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}  # or Ray 2.60 answers nobody
    with tempfile.TemporaryDirectory() as logs, two_nodes({}, [Path.cwd()], Path(logs), cpus=1) as nodes:
        yield nodes


def overhead(options: Namespace) -> None:
    """Score few rows and many, here and by one host, by turns: few rows are the start, the rest is what a row costs."""
    few, many, turns = 100, options.rows or 10_000, 3
    seen = defaultdict[tuple[int, bool], list[tuple[float, float]]](list)
    with cluster() as nodes:
        for turn in range(turns):
            for rows in (few, many):
                write_job(rows)
                for on_ray in (False, True):
                    words = ["-o", f"{turn}.{rows}.{on_ray}.jsonl", *["--on", "ray,hosts=1"][: 2 * on_ray]]
                    wall, cpu, _ = rewardlab("score", "r.yaml", "rows.jsonl", *words, RAY_ADDRESS=nodes.gcs)
                    seen[rows, on_ray].append((wall, cpu))
    for unit, name in ((0, "s"), (1, "CPU s of the command")):
        median = {of: sorted(turn[unit] for turn in seen[of])[turns // 2] for of in seen}
        here, there = (median[many, on_ray] - median[few, on_ray] for on_ray in (False, True))
        print(
            f"{few} rows: {median[few, False]:.1f} {name} here, {median[few, True]:.1f} by a host; {many - few:,} more "
            f"rows: {here:.2f} here, {there:.2f} by a host ({there / here - 1:+.0%})"
        )


def on_ray(options: Namespace) -> None:
    with cluster() as nodes:
        jobs = {
            "computes 5 ms a row": (options.rows or 2000, {"computes_ms": 5}),
            "waits 500 ms a row": (options.rows or 4000, {"waits_ms": 500}),
            "does nothing": (10_000, {}),
        }
        for name, (rows, work) in jobs.items():
            write_job(rows, **work)
            for made in Path.cwd().glob("*.jsonl*"):
                if made.name != "rows.jsonl":
                    subprocess.run(["rm", "-rf", str(made)], check=True)
            ways = {"one process": ["one.jsonl"], "1 host": ["h1.jsonl", "--on", "ray,hosts=1"]}
            ways["2 hosts"] = ["h2.jsonl", "--on", "ray,hosts=2"]
            for way, (output, *more) in ways.items():
                wall, cpu, _ = rewardlab("score", "r.yaml", "rows.jsonl", "-o", output, *more, RAY_ADDRESS=nodes.gcs)
                same = Path(output).read_bytes() == Path("one.jsonl").read_bytes()
                print(
                    f"{rows:,} rows, {name}, {way}: {wall:.1f} s, {cpu:.1f} CPU s here; the same bytes: {same}",
                    flush=True,
                )
            if options.ray_data:
                start = time.perf_counter()
                with_ray_data(nodes.gcs)
                same = Path("data.jsonl").read_bytes() == Path("one.jsonl").read_bytes()
                print(
                    f"{rows:,} rows, {name}, Ray Data: {time.perf_counter() - start:.1f} s; the same bytes: {same}",
                    flush=True,
                )


class Host:
    """The reward in an actor of Ray Data: lines in, lines out, as bytes, since columns would change numbers' text."""

    def __init__(self, recipe: str) -> None:
        from rewardlab import load_reward

        self._reward = load_reward(recipe)

    def __call__(self, batch: Any) -> Any:
        import json

        from rewardlab.scorefile import output_row, to_line

        rows = [json.loads(line) for line in batch["text"]]
        scored = self._reward.score(rows)
        return {"line": [to_line(output_row(row["id"], group)) for row, group in zip(rows, scored, strict=True)]}


def with_ray_data(address: str) -> None:
    """Score in Ray Data, in order, with half a CPU for each actor: its own reading tasks need one, too."""
    import ray
    import ray.data

    ray.init(address=address, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    lines = ray.data.read_text(str(Path("rows.jsonl").resolve()))
    made = lines.map_batches(
        Host, fn_constructor_args=[str(Path("r.yaml").resolve())], batch_size=256, concurrency=2, num_cpus=0.5
    )
    with open("data.jsonl", "wb") as file:
        for row in made.iter_rows():
            file.write(row["line"])


if __name__ == "__main__":
    main()
