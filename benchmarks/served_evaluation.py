"""Evaluating a served policy: wall, processor time and memory of 5,000 prompts x 8 samples, beside the bare client.

    python benchmarks/served_evaluation.py
    python benchmarks/served_evaluation.py --prompts 500

A local server answers after 50 ms, 64 questions at once: the ideal for 40,000 completions is 31.25 s. Each contestant
is a process of its own against the same server:

    rewardlab    the whole stage `eval`: samples, scores with format/boxed and math/accuracy, keeps every answer, writes
                 ledger, rows and results
    again        the same run a second time with every answer kept in a cassette: what a resume costs
    aiohttp      the bare client with prompts made beforehand, answers parsed as JSON, nothing else
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from argparse import SUPPRESS, ArgumentParser
from pathlib import Path

from judge_throughput import AT_ONCE, LATENCY

SAMPLES = 8
AIM_WALL, AIM_GB = 1.2, 2.0
THIS = Path(__file__).resolve()
TEXT = "A train leaves at seven and covers the third part of the way before it stops for the first time. " * 3
RECIPE = """
version: 1
judges:
  served:
    use: openai/chat
    with: {{model: bench, base_url: "{url}"}}
    concurrency: {at_once}
    cassette: {{path: {folder}/cassette.jsonl}}
reward:
  components: {{format: {{use: format/boxed}}, accuracy: {{use: math/accuracy}}}}
  total: format + accuracy
stages:
  - use: eval
    dataset: {{use: data/jsonl, with: {{path: {folder}/rows.jsonl}}}}
    samples: {samples}
    temperature: 0.7
    policy: {{judge: served}}
"""


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prompts", type=int, default=5000)
    parser.add_argument("--contestant", help=SUPPRESS)
    parser.add_argument("--folder", help=SUPPRESS)
    parser.add_argument("--url", help=SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        print(json.dumps(CONTESTANTS[options.contestant](options.url, options.prompts, Path(options.folder))))
    else:
        compare(options.prompts)


def compare(prompts: int) -> None:
    ideal = prompts * SAMPLES / AT_ONCE * LATENCY
    command = [sys.executable, str(THIS.with_name("judge_throughput.py")), "--server"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        print(f"{prompts:,} prompts x {SAMPLES}, {AT_ONCE} at once, {LATENCY * 1000:g} ms each: ideal {ideal:.2f} s")
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), url, prompts)
            for name, contestant in (("aiohttp", "aiohttp"), ("rewardlab", "rewardlab"), ("again", "rewardlab")):
                found = run(contestant, url, prompts, folder)
                print(
                    f"  {name:<10} {found['wall']:6.2f} s wall ({found['wall'] / ideal:.2f} x ideal)  "
                    f"{found['cpu']:6.2f} s CPU  {found['gb']:.2f} GB"
                )
        print(f"  aims: rewardlab within {AIM_WALL} x ideal and {AIM_GB} GB")
    finally:
        server.terminate()
        server.wait()


def write(folder: Path, url: str, prompts: int) -> None:
    rows = [{"id": f"{n}", "prompt": f"{n}. {TEXT}", "answer": "7", "language": "en"} for n in range(prompts)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    filled = RECIPE.format(url=url, at_once=AT_ONCE, folder=folder, samples=SAMPLES)
    (folder / "recipe.yaml").write_text(filled)


def run(contestant: str, url: str, prompts: int, folder: str) -> dict:
    own = ["--contestant", contestant, "--url", url, "--prompts", str(prompts), "--folder", folder]
    done = subprocess.run([sys.executable, str(THIS), *own], capture_output=True, text=True, timeout=900)
    if done.returncode:
        sys.exit(f"{contestant} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def measured(work) -> dict:
    """Wall seconds of a call, its processor seconds with its workers', and the most memory of this process."""
    before, start = _cpu(), time.perf_counter()
    work()
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    return {"wall": wall, "cpu": _cpu() - before, "gb": used}


def _cpu() -> float:
    ours, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return ours.ru_utime + ours.ru_stime + children.ru_utime + children.ru_stime


def rewardlab(url: str, prompts: int, folder: Path) -> dict:
    from rewardlab_training import load_evaluation

    job = load_evaluation(folder / "recipe.yaml", root=folder / "runs", say=lambda line: print(line, file=sys.stderr))
    result = measured(job.run)
    found = json.loads((job.directory / "evaluation" / "0-eval-results.json").read_text())["slices"][0]
    assert (found["completions"], found["missing"]) == (prompts * SAMPLES, 0), found
    return result


def bare_aiohttp(url: str, prompts: int, folder: Path) -> dict:
    import aiohttp

    rows = [json.loads(line) for line in (folder / "rows.jsonl").open()]
    bodies = [
        json.dumps({"model": "bench", "messages": [{"role": "user", "content": row["prompt"]}], "seed": draw}).encode()
        for row in rows
        for draw in range(SAMPLES)
    ]

    async def work() -> None:
        places = asyncio.Semaphore(AT_ONCE)
        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def one(body: bytes) -> str:
                async with places, session.post(f"{url}/chat/completions", data=body, headers=headers) as response:
                    return json.loads(await response.read())["choices"][0]["message"]["content"]

            await asyncio.gather(*map(one, bodies))

    return measured(lambda: asyncio.run(work()))


CONTESTANTS = {"rewardlab": rewardlab, "aiohttp": bare_aiohttp}


if __name__ == "__main__":
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    main()
